/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In an IPPool, a node has a run of addresses of the subnet, and pods keep the whole subnet's mask. In
 * a CIDRPool, a node has a prefix of its own, which is the pods' subnet.
 */
#include "nvipam.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPEC  "spec."
#define WHERE 80

static const struct subnet_keys ippool_keys = {
	"subnet", NULL, NULL, "gateway", "exclusions", false
};

enum pool_kind nvipam_object_kind(json_t *json)
{
	const char *api = json_string_value(json_object_get(json, "apiVersion"));
	const char *kind = json_string_value(json_object_get(json, "kind"));

	if (!api || !kind || strncmp(api, "nv-ipam.nvidia.com/", 19))
		return POOL_ANY;
	return !strcmp(kind, "IPPool")	   ? POOL_IPPOOL
	       : !strcmp(kind, "CIDRPool") ? POOL_CIDRPOOL
					   : POOL_ANY;
}

/* One entry of status.allocations. */
struct alloc {
	const char *node;
	struct range range;
	struct inet_net prefix; /* CIDRPool */
	struct inet_addr gateway; /* CIDRPool */
};

struct allocs {
	struct alloc *v;
	size_t count;
};

static void allocs_done(struct allocs *allocs)
{
	free(allocs->v);
}
#define auto_allocs __attribute__((cleanup(allocs_done)))

static int read_run(const struct field_of *of, struct alloc *a, struct err *e)
{
	struct inet_addr lo = { 0 }, hi = { 0 };
	int r = field_addr(of, "startIP", &lo, e);

	r = r ?: field_addr(of, "endIP", &hi, e);
	if (r)
		return r;
	a->range = (struct range){ addr_key_from(&lo), addr_key_from(&hi) };
	if (!lo.family || lo.family != hi.family || a->range.lo > a->range.hi)
		return field_wrong(of, "startIP", json_object_get(of->obj, "startIP"), e,
				   "an address at or before endIP");
	return 0;
}

static int read_prefix(const struct field_of *of, struct alloc *a, struct err *e)
{
	int r = field_net(of, "prefix", &a->prefix, e);

	r = r ?: field_addr(of, "gateway", &a->gateway, e);
	if (r)
		return r;
	if (!a->prefix.addr.family)
		return err_set(e, of->code, 0, "%sprefix is required", of->where);
	a->range = range_of_net(&a->prefix);
	if (a->gateway.family && !inet_net_contains(&a->prefix, &a->gateway))
		return field_wrong(of, "gateway", json_object_get(of->obj, "gateway"), e,
				   "inside the prefix");
	return 0;
}

static int by_lo(const void *a, const void *b)
{
	const struct alloc *x = a, *y = b;

	return x->range.lo < y->range.lo ? -1 : x->range.lo > y->range.lo;
}

static int check_allocs(struct allocs *list, const struct range *whole, struct err *e)
{
	char a[RANGE_TEXT], b[RANGE_TEXT];

	if (list->count)
		qsort(list->v, list->count, sizeof(*list->v), by_lo);
	for (size_t i = 0; i < list->count; i++) {
		const struct alloc *x = &list->v[i], *before = i ? x - 1 : NULL;

		if (!range_contains(whole, &x->range))
			return err_set(e, CNI_ERR_CONFIG, 0,
				       "status.allocations: %s of '%s' lies outside the pool",
				       range_format(&x->range, a), x->node);
		if (before && range_overlaps(&before->range, &x->range))
			return err_set(e, CNI_ERR_CONFIG, 0,
				       "status.allocations: %s of '%s' overlaps %s of '%s'",
				       range_format(&x->range, a), x->node,
				       range_format(&before->range, b), before->node);
	}
	return 0;
}

static int read_allocs(json_t *json, bool cidr, struct allocs *ret, struct err *e)
{
	char where[WHERE];
	struct field_of of = { json_object_get(json, "status"), "status.", CNI_ERR_CONFIG };
	struct field_of at = { NULL, where, CNI_ERR_CONFIG };
	json_t *list = NULL, *item;
	size_t i;
	int r = field_array(&of, "allocations", &list, e);

	if (r)
		return r;
	ret->v = calloc(json_array_size(list) + 1, sizeof(*ret->v));
	if (!ret->v)
		return err_set(e, CNI_ERR_IO, ENOMEM, "read status.allocations");
	json_array_foreach(list, i, item) {
		struct alloc *a = &ret->v[ret->count++];

		snprintf(where, sizeof(where), "status.allocations[%zu].", i);
		at.obj = item;
		a->node = "";
		r = field_str(&at, "nodeName", &a->node, e);
		r = r ?: cidr ? read_prefix(&at, a, e) : read_run(&at, a, e);
		if (r)
			return r;
	}
	return 0;
}

static const struct alloc *own_alloc(const struct allocs *list, const char *node, struct err *e)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->v[i].node, node))
			return &list->v[i];
	err_set(e, CNI_ERR_CONFIG, 0, "status.allocations has nothing for this node, '%s'", node);
	err_details(
		e,
		"The object must be printed by kubectl after nv-ipam's controller, or a person, has "
		"filled status.allocations. The node's name is nodeName of the configuration, else "
		"$NODE_NAME, else the host name.");
	return NULL;
}

/* perNodeExclusions: from startIndex to endIndex of the node's part, clamped to it */
static int exclude_indices(const struct field_of *spec, const struct range *part,
			   struct range_list *into, struct err *e)
{
	char where[WHERE];
	struct field_of at = { NULL, where, CNI_ERR_CONFIG };
	json_t *list = NULL, *item;
	size_t i;
	int r = field_array(spec, "perNodeExclusions", &list, e);

	json_array_foreach(list, i, item) {
		uint32_t from = 0, to = 0;
		bool has_from = false, has_to = false;
		struct range x;

		snprintf(where, sizeof(where), SPEC "perNodeExclusions[%zu].", i);
		at.obj = item;
		r = field_u32(&at, "startIndex", 0, INT32_MAX, &from, &has_from, e);
		r = r ?: field_u32(&at, "endIndex", 0, INT32_MAX, &to, &has_to, e);
		if (r)
			return r;
		if (from > to)
			return field_wrong(&at, "startIndex", json_object_get(item, "startIndex"),
					   e, "at or before endIndex %u", to);
		if (from > part->hi - part->lo)
			continue;
		x = (struct range){ part->lo + from, part->hi };
		if (to < part->hi - part->lo)
			x.hi = part->lo + to;
		if (range_list_add(into, x))
			return err_set(e, CNI_ERR_IO, ENOMEM, "read %s", where);
	}
	return r;
}

/* Routes of nv-ipam name a destination only: they go through the pool's gateway. */
static int read_routes(const struct field_of *spec, const struct inet_addr *gateway,
		       struct pool *pool, struct err *e)
{
	json_t *routes = NULL;
	bool add_default = false;
	struct cni_route *route;
	int r = field_array(spec, "routes", &routes, e);

	r = r ?: cni_routes_parse(routes, SPEC "routes", CNI_ERR_CONFIG, &pool->extra, e);
	r = r ?: field_bool(spec, "defaultGateway", &add_default, e);
	if (r || (!add_default && !pool->extra.route_count))
		return r;
	if (!gateway->family)
		return err_set(e, CNI_ERR_CONFIG, 0,
			       SPEC "%s needs a gateway, and the pool has none for this node",
			       add_default ? "defaultGateway" : "routes");
	if (add_default) {
		route = cni_result_add_route(&pool->extra);
		if (!route)
			return err_set(e, CNI_ERR_IO, ENOMEM, "read " SPEC "defaultGateway");
		route->dst.addr.family = gateway->family;
	}
	for (size_t i = 0; i < pool->extra.route_count; i++) {
		route = &pool->extra.routes[i];
		if (!route->gw.family && route->dst.addr.family == gateway->family)
			route->gw = *gateway;
	}
	return 0;
}

static int add_part(const struct field_of *spec, struct subnet_spec *subnet, struct pool *pool,
		    struct err *e)
{
	const struct part whole = { .kind = PART_WHOLE, .told = true };
	char scope[SCOPE_MAX];
	struct set *set;
	int r;

	pool_scope("", scope);
	set = pool_add_set(pool, scope);
	if (!set)
		return err_set(e, CNI_ERR_IO, ENOMEM, "read the pool");
	r = set_add_subnet(set, subnet, &whole, spec, &ippool_keys, e);
	r = r ?: set_finish(set, e);
	return r ? r : read_routes(spec, &subnet->subnet.gateway, pool, e);
}

static const struct subnet_keys cidr_keys = { "cidr", NULL, NULL, NULL, "exclusions", false };

/* The whole of a pool, and this node's part of it. */
static int read_own(json_t *json, const struct field_of *spec, const struct subnet_keys *keys,
		    const char *node, struct subnet_spec *subnet, struct alloc *ret, struct err *e)
{
	auto_allocs struct allocs allocs = { 0 };
	const struct alloc *own;
	struct range whole;
	int r = subnet_read(spec, keys, subnet, e);

	if (r)
		return r;
	whole = range_of_net(&subnet->subnet.net);
	r = read_allocs(json, keys == &cidr_keys, &allocs, e);
	r = r ?: check_allocs(&allocs, &whole, e);
	if (r)
		return r;
	own = own_alloc(&allocs, node, e);
	if (!own)
		return -EINVAL;
	*ret = *own;
	return 0;
}

static int read_ippool(json_t *json, const char *node, struct pool *pool, struct err *e)
{
	const struct field_of spec = { json_object_get(json, "spec"), SPEC, CNI_ERR_CONFIG };
	auto_subnet_spec struct subnet_spec subnet = { 0 };
	struct alloc own;
	int r = read_own(json, &spec, &ippool_keys, node, &subnet, &own, e);

	if (r)
		return r;
	subnet.span = own.range;
	r = exclude_indices(&spec, &own.range, &subnet.exclude, e);
	return r ? r : add_part(&spec, &subnet, pool, e);
}

/* Exclusions of a CIDRPool are of the whole; those in other nodes' prefixes change nothing here. */
static int read_cidrpool(json_t *json, const char *node, struct pool *pool, struct err *e)
{
	const struct field_of spec = { json_object_get(json, "spec"), SPEC, CNI_ERR_CONFIG };
	auto_subnet_spec struct subnet_spec subnet = { 0 };
	auto_range_list struct range_list usable = { 0 };
	struct alloc own;
	int r = read_own(json, &spec, &cidr_keys, node, &subnet, &own, e);

	if (r)
		return r;
	subnet.subnet = (struct subnet){ own.prefix, own.gateway };
	inet_net_mask(&subnet.subnet.net);
	r = exclude_indices(&spec, &own.range, &subnet.exclude, e);
	if (r)
		return r;
	if (range_usable(&own.prefix, &usable))
		return err_set(e, CNI_ERR_IO, ENOMEM, "read the pool");
	subnet.span = usable.v[0]; /* allocateIPWithIndex counts from the first usable one */
	return add_part(&spec, &subnet, pool, e);
}

int nvipam_object_read(json_t *json, const char *node, struct pool *pool, struct err *e)
{
	pool->cooldown_s = COOLDOWN_DEFAULT_S;
	if (!json_is_object(json_object_get(json, "spec")))
		return err_set(e, CNI_ERR_CONFIG, 0, "spec is required");
	return nvipam_object_kind(json) == POOL_IPPOOL ? read_ippool(json, node, pool, e)
						       : read_cidrpool(json, node, pool, e);
}
