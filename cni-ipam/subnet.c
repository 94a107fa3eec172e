/* SPDX-License-Identifier: Apache-2.0 */
#include "pool.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct subnet_keys subnet_keys_native = { "subnet",  "rangeStart", "rangeEnd",
						"gateway", "exclude",	 false };

static int no_memory(struct err *e)
{
	return err_set(e, CNI_ERR_IO, ENOMEM, "read the pool");
}

void subnet_spec_done(struct subnet_spec *spec)
{
	range_list_done(&spec->exclude);
}

static int wrong(const struct field_of *of, const char *key, struct err *e, const char *wanted,
		 const struct inet_net *subnet)
{
	char text[INET_TEXT];

	return field_wrong(of, key, json_object_get(of->obj, key), e, "%s %s", wanted,
			   inet_net_format(subnet, text));
}

/* An address of the subnet; untouched when the key is absent. */
static int read_inside(const struct field_of *of, const char *key, const struct inet_net *subnet,
		       struct inet_addr *ret, struct err *e)
{
	struct inet_addr a = { 0 };
	int r = field_addr(of, key, &a, e);

	if (r || !a.family)
		return r;
	if (a.family != subnet->addr.family)
		return wrong(of, key, e,
			     a.family == AF_INET ? "an IPv6 address, as is the subnet"
						 : "an IPv4 address, as is the subnet",
			     subnet);
	if (!inet_net_contains(subnet, &a))
		return wrong(of, key, e, "inside the subnet", subnet);
	*ret = a;
	return 0;
}

static int read_net(const struct field_of *of, const struct subnet_keys *keys, struct inet_net *ret,
		    struct err *e)
{
	struct inet_net net = { 0 }, masked;
	struct range all;
	int r = field_net(of, keys->subnet, &net, e);

	if (r)
		return r;
	if (!net.addr.family)
		return err_set(e, of->code, 0, "%s%s is required", of->where, keys->subnet);
	masked = net;
	inet_net_mask(&masked);
	all = range_of_net(&masked);
	if (net.addr.family == AF_INET6 && range_is_ipv4(&all))
		return wrong(of, keys->subnet, e,
			     "an IPv6 subnet, but IPv4-mapped (RFC 4291):", &masked);
	if (!keys->host_bits && !inet_addr_equal(&masked.addr, &net.addr))
		return wrong(of, keys->subnet, e, "a subnet: it has host bits set, that would be",
			     &masked);
	*ret = masked;
	return 0;
}

static int read_span(const struct field_of *of, const struct subnet_keys *keys,
		     struct subnet_spec *spec, struct err *e)
{
	const struct inet_net *net = &spec->subnet.net;
	struct inet_addr start = { 0 }, end = { 0 };
	char text[INET_TEXT];
	int r = keys->start ? read_inside(of, keys->start, net, &start, e) : 0;

	if (!r && keys->end)
		r = read_inside(of, keys->end, net, &end, e);
	if (r)
		return r;
	spec->span = range_of_net(net);
	if (start.family)
		spec->span.lo = addr_key_from(&start);
	if (end.family)
		spec->span.hi = addr_key_from(&end);
	if (spec->span.lo > spec->span.hi)
		return field_wrong(of, keys->start, json_object_get(of->obj, keys->start), e,
				   "at or before %s %s", keys->end, inet_addr_format(&end, text));
	return 0;
}

/* {"startIP": …, "endIP": …}, as nv-ipam has it */
static int parse_pair(const struct field_of *of, struct range *ret, struct err *e)
{
	struct inet_addr lo = { 0 }, hi = { 0 };
	int r = field_addr(of, "startIP", &lo, e);

	r = r ?: field_addr(of, "endIP", &hi, e);
	if (r)
		return r;
	if (!lo.family || !hi.family)
		return err_set(e, of->code, 0, "%s%s is required", of->where,
			       lo.family ? "endIP" : "startIP");
	*ret = (struct range){ addr_key_from(&lo), addr_key_from(&hi) };
	if (lo.family != hi.family || ret->lo > ret->hi)
		return field_wrong(of, "startIP", json_object_get(of->obj, "startIP"), e,
				   "at or before endIP, and of its family");
	return 0;
}

static int parse_excluded(const struct field_of *of, const char *key, json_t *item, size_t i,
			  struct range *ret, struct err *e)
{
	const char *why = "not an address, ADDRESS/LENGTH, FIRST-LAST or {\"startIP\", \"endIP\"}";
	char where[128], text[FIELD_TEXT];

	if (json_is_object(item)) {
		snprintf(where, sizeof(where), "%s%s[%zu].", of->where, key, i);
		return parse_pair(&(struct field_of){ item, where, of->code }, ret, e);
	}
	if (json_is_string(item) && !range_parse(json_string_value(item), ret, &why))
		return 0;
	return err_set(e, of->code, 0, "%s%s[%zu]: %s: %s", of->where, key, i,
		       field_text(item, text), why);
}

int subnet_read_exclude(const struct field_of *of, const char *key, const struct inet_net *subnet,
			struct range_list *into, struct err *e)
{
	struct range all = range_of_net(subnet), x;
	char net[INET_TEXT], text[FIELD_TEXT];
	json_t *array = NULL, *item;
	size_t i;
	int r = field_array(of, key, &array, e);

	json_array_foreach(array, i, item) {
		r = parse_excluded(of, key, item, i, &x, e);
		if (r)
			return r;
		/* most likely a typing mistake, and then an address is given that should not be */
		if (!range_overlaps(&all, &x))
			return err_set(e, of->code, 0, "%s%s[%zu]: %s lies outside the subnet %s",
				       of->where, key, i, field_text(item, text),
				       inet_net_format(subnet, net));
		if (range_list_add(into, x))
			return no_memory(e);
	}
	return r;
}

int subnet_read(const struct field_of *of, const struct subnet_keys *keys, struct subnet_spec *ret,
		struct err *e)
{
	auto_subnet_spec struct subnet_spec spec = { 0 };
	bool set;
	int r = read_net(of, keys, &spec.subnet.net, e);

	r = r ?: read_span(of, keys, &spec, e);
	if (!r && keys->gateway)
		r = read_inside(of, keys->gateway, &spec.subnet.net, &spec.subnet.gateway, e);
	if (!r && keys->exclude)
		r = subnet_read_exclude(of, keys->exclude, &spec.subnet.net, &spec.exclude, e);
	r = r ?: field_u32(of, "perNodeBlockSize", 1, UINT32_MAX, &spec.block_size, &set, e);
	if (r)
		return r;
	*ret = spec;
	spec.exclude = (struct range_list){ 0 };
	return 0;
}

/* This node's part of the span, into @own. */
static int take_part(const struct subnet_spec *spec, const struct part *part,
		     const struct field_of *of, const struct subnet_keys *keys,
		     struct range_list *own, struct err *e)
{
	auto_range_list struct range_list span = { 0 };
	char text[INET_TEXT];
	struct range block;

	inet_net_format(&spec->subnet.net, text);
	if (range_list_add(own, spec->span))
		return no_memory(e);
	if (part->kind == PART_WHOLE)
		return 0;
	if (part->kind == PART_BLOCKS) {
		if (range_list_intersect(own, &part->blocks))
			return no_memory(e);
		return own->count ? 0
				  : err_set(e, of->code, 0,
					    "nodes.%s: no block lies in the range of %s%s %s",
					    part->node, of->where, keys->subnet, text);
	}
	if (!spec->block_size)
		return err_set(
			e, of->code, 0,
			"%sperNodeBlockSize is required, as nodes gives node '%s' the index %u",
			of->where, part->node, part->index);
	if (range_block(&spec->span, spec->block_size, part->index, &block))
		return err_set(e, of->code, 0,
			       "nodes.%s: %u is beyond the last block of %u addresses in %s%s %s",
			       part->node, part->index, spec->block_size, of->where, keys->subnet,
			       text);
	own->v[0] = block;
	return 0;
}

static int check_alternative(const struct set *set, const struct range_list *own,
			     const struct subnet *subnet, const struct field_of *of,
			     const struct subnet_keys *keys, struct err *e)
{
	if (set->subnet_count && set->subnets[0].net.addr.family != subnet->net.addr.family)
		return wrong(
			of, keys->subnet, e,
			set->subnets[0].net.addr.family == AF_INET
				? "IPv4 like the others of its set; a set of its own would do for"
				: "IPv6 like the others of its set; a set of its own would do for",
			&subnet->net);
	for (size_t i = 0; i < set->ranges.count; i++)
		for (size_t k = 0; k < own->count; k++)
			if (range_overlaps(&set->ranges.v[i], &own->v[k]))
				return wrong(
					of, keys->subnet, e,
					"apart from the range before it in its set:", &subnet->net);
	return 0;
}

int set_add_subnet(struct set *set, const struct subnet_spec *spec, const struct part *part,
		   const struct field_of *of, const struct subnet_keys *keys, struct err *e)
{
	auto_range_list struct range_list own = { 0 }, usable = { 0 }, holes = { 0 };
	struct subnet *subnets;
	int r = take_part(spec, part, of, keys, &own, e);

	r = r ?: check_alternative(set, &own, &spec->subnet, of, keys, e);
	if (r)
		return r;
	if (!set->subnet_count)
		set->part = own.v[0];
	subnets = reallocarray(set->subnets, set->subnet_count + 1, sizeof(*subnets));
	if (!subnets)
		return no_memory(e);
	set->subnets = subnets;
	set->subnets[set->subnet_count++] = spec->subnet;
	for (size_t i = 0; i < spec->exclude.count; i++)
		if (range_list_add(&holes, spec->exclude.v[i]))
			return no_memory(e);
	range_list_merge(&holes);
	if (range_usable(&spec->subnet.net, &usable) || range_list_intersect(&own, &usable) ||
	    range_list_subtract(&own, &holes))
		return no_memory(e);
	for (size_t i = 0; i < own.count; i++)
		if (range_list_add(&set->ranges, own.v[i]))
			return no_memory(e);
	return 0;
}

/* FNV-1a with 128 bits: no two pools of an administrator collide, and nobody else makes pools. */
static void hash_ranges(const struct range_list *list, uint8_t ret[16])
{
	const addr_key prime = ((addr_key)1 << 88) + 0x13b;
	addr_key hash = ((addr_key)0x6c62272e07bb0142 << 64) + 0x62b821756295c58d;
	uint8_t bytes[32];

	for (size_t i = 0; i < list->count; i++) {
		addr_key_pack(list->v[i].lo, bytes);
		addr_key_pack(list->v[i].hi, bytes + 16);
		for (size_t k = 0; k < sizeof(bytes); k++)
			hash = (hash ^ bytes[k]) * prime;
	}
	addr_key_pack(hash, ret);
}

int set_finish(struct set *set, struct err *e)
{
	auto_range_list struct range_list gateways = { 0 };

	for (size_t i = 0; i < set->subnet_count; i++) {
		const struct inet_addr *gateway = &set->subnets[i].gateway;
		addr_key key = addr_key_from(gateway);

		if (gateway->family && range_list_add(&gateways, (struct range){ key, key }))
			return no_memory(e);
	}
	range_list_merge(&gateways);
	range_list_merge(&set->ranges);
	if (range_list_subtract(&set->ranges, &gateways))
		return no_memory(e);
	hash_ranges(&set->ranges, set->hash);
	return 0;
}

const struct subnet *set_subnet_of(const struct set *set, const struct inet_addr *a)
{
	for (size_t i = 0; i < set->subnet_count; i++)
		if (inet_net_contains(&set->subnets[i].net, a))
			return &set->subnets[i];
	return NULL;
}

struct set *pool_add_set(struct pool *pool, const char *scope)
{
	struct set *sets = reallocarray(pool->sets, pool->set_count + 1, sizeof(*sets));
	struct set *set;

	if (!sets)
		return NULL;
	pool->sets = sets;
	set = &sets[pool->set_count++];
	memset(set, 0, sizeof(*set));
	snprintf(set->scope, sizeof(set->scope), "%s", scope);
	return set;
}

void pool_done(struct pool *pool)
{
	for (size_t i = 0; i < pool->set_count; i++) {
		free(pool->sets[i].subnets);
		range_list_done(&pool->sets[i].ranges);
	}
	free(pool->sets);
	cni_result_done(&pool->extra);
	*pool = (struct pool){ 0 };
}
