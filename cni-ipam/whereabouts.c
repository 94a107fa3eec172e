/* SPDX-License-Identifier: Apache-2.0 */
/*
 * whereabouts' form of the "ipam" object (k8snetworkplumbingwg/whereabouts, pkg/config and pkg/types).
 *
 * Its scopes: whereabouts keeps an address from being given twice in all its networks without a
 * network_name, or all with the same one; with enable_overlapping_ranges false, in one range.
 */
#include "conf.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "base/number.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct subnet_keys keys = { "range",   "range_start", "range_end",
					 "gateway", "exclude",	   true };

bool whereabouts_is(json_t *ipam)
{
	return json_object_get(ipam, "range") || json_object_get(ipam, "ipRanges");
}

/*
 * "10.0.0.5-10.0.0.9/24" is range "10.0.0.0/24" with range_start and range_end: write it like that,
 * into a copy of the object.
 */
static int expand_range(const struct field_of *of, json_t *copy, struct err *e)
{
	const char *text = "", *dash;
	char start[INET_TEXT], end[INET_TEXT];
	struct inet_net net;
	int r = field_str(of, "range", &text, e);

	dash = strchr(text, '-');
	if (r || !dash)
		return r;
	snprintf(start, sizeof(start), "%.*s", (int)(dash - text), text);
	if (inet_net_parse(dash + 1, false, &net))
		return field_wrong(of, "range", json_object_get(of->obj, "range"), e,
				   "ADDRESS/LENGTH or FIRST-LAST/LENGTH");
	inet_addr_format(&net.addr, end);
	json_object_set_new(copy, "range", json_string(dash + 1));
	json_object_set_new(copy, "range_start", json_string(start));
	json_object_set_new(copy, "range_end", json_string(end));
	return 0;
}

/* node_slice_size: "/24", "24" or 24, the prefix length of each node's slice of the range */
static int read_slice_size(const struct field_of *of, const struct inet_net *net,
			   uint32_t *ret_size, struct err *e)
{
	json_t *value = json_object_get(of->obj, "node_slice_size");
	const char *text = json_is_string(value) ? json_string_value(value) : "";
	unsigned int bits = inet_addr_bits(&net->addr);
	uint64_t len;

	if (json_is_integer(value) && json_integer_value(value) >= 0)
		len = (uint64_t)json_integer_value(value);
	else if (number_parse(*text == '/' ? text + 1 : text, bits, &len))
		len = bits + 1;
	if (len < net->len || len > bits || bits - len > 31)
		return field_wrong(
			of, "node_slice_size", value, e,
			"a prefix length from the range's %u to %u, of up to 2^31 addresses",
			net->len, bits);
	*ret_size = (uint32_t)1 << (bits - len);
	return 0;
}

struct form {
	const struct field_of *ipam; /* what all ranges share */
	const char *network_name;
	bool overlapping; /* enable_overlapping_ranges */
	const struct part *part;
	struct inet_addr gateway; /* goes to the ranges that it lies in */
	bool gateway_used;
};

static void name_scope(const struct form *form, const struct inet_net *net, char ret[SCOPE_MAX])
{
	char range[INET_TEXT] = "";

	if (!form->overlapping)
		inet_net_format(net, range);
	snprintf(ret, SCOPE_MAX, "whereabouts:%.*s:%s", NAME_MAX, form->network_name, range);
}

static int add_range(const struct field_of *of, struct form *form, struct pool *pool, struct err *e)
{
	auto_subnet_spec struct subnet_spec spec = { 0 };
	json_auto_t *copy = json_copy(of->obj);
	struct field_of at = { copy, of->where, of->code };
	char scope[SCOPE_MAX];
	struct set *set;
	int r;

	if (!copy)
		return err_set(e, CNI_ERR_IO, ENOMEM, "read %srange", of->where);
	json_object_del(copy, "gateway"); /* there is one for all ranges */
	r = expand_range(of, copy, e);
	r = r ?: subnet_read(&at, &keys, &spec, e);
	if (!r && json_object_get(form->ipam->obj, "node_slice_size"))
		r = read_slice_size(form->ipam, &spec.subnet.net, &spec.block_size, e);
	if (r)
		return r;
	if (inet_net_contains(&spec.subnet.net, &form->gateway)) {
		spec.subnet.gateway = form->gateway;
		form->gateway_used = true;
	}
	name_scope(form, &spec.subnet.net, scope);
	set = pool_add_set(pool, scope);
	if (!set)
		return err_set(e, CNI_ERR_IO, ENOMEM, "read %srange", of->where);
	r = set_add_subnet(set, &spec, form->part, &at, &keys, e);
	return r ? r : set_finish(set, e);
}

static int add_ranges(struct form *form, struct pool *pool, struct err *e)
{
	char where[64];
	struct field_of at = { NULL, where, CNI_ERR_CONFIG };
	json_t *list = NULL, *item;
	size_t i;
	int r = field_array(form->ipam, "ipRanges", &list, e);

	if (!r && json_object_get(form->ipam->obj, "range"))
		r = add_range(form->ipam, form, pool, e);
	if (r)
		return r;
	json_array_foreach(list, i, item) {
		snprintf(where, sizeof(where), "ipam.ipRanges[%zu].", i);
		at.obj = item;
		if (!json_is_object(item))
			return field_wrong(form->ipam, "ipRanges", list, e,
					   "a list of objects with a range");
		r = add_range(&at, form, pool, e);
		if (r)
			return r;
	}
	return 0;
}

static int refuse_what_is_not_served(const struct field_of *ipam, struct err *e)
{
	json_t *addresses = json_object_get(ipam->obj, "addresses");

	if (!json_array_size(addresses))
		return 0;
	return err_set(
		e, CNI_ERR_FIELD, 0,
		"ipam.addresses: static addresses of whereabouts are not supported; ask for them "
		"with runtimeConfig.ips, args.cni.ips or CNI_ARGS IP");
}

static int check_slices(const struct field_of *ipam, const struct part *part, struct err *e)
{
	if (!json_object_get(ipam->obj, "node_slice_size") || part->told)
		return 0;
	err_set(e, CNI_ERR_CONFIG, 0,
		"ipam.node_slice_size: nothing says which slice is this node's: \"nodes\" or "
		"\"nodeIndex\" is required beside it");
	err_details(
		e,
		"whereabouts asks the Kubernetes API, which a node-local plugin never waits for. "
		"Add \"nodes\": {\"NODE\": INDEX, …} with an index from 0 on for each node.");
	return -EINVAL;
}

int whereabouts_read(const struct field_of *ipam, struct conf *conf, struct err *e)
{
	auto_part struct part part = { 0 };
	struct form form = { .ipam = ipam, .network_name = "", .overlapping = true, .part = &part };
	struct pool *pool = &conf->inline_pool;
	int r = refuse_what_is_not_served(ipam, e);

	r = r ?: field_str(ipam, "network_name", &form.network_name, e);
	r = r ?: field_bool(ipam, "enable_overlapping_ranges", &form.overlapping, e);
	r = r ?: field_addr(ipam, "gateway", &form.gateway, e);
	r = r ?: part_read(ipam, conf->node, &part, e);
	r = r ?: check_slices(ipam, &part, e);
	r = r ?: add_ranges(&form, pool, e);
	r = r ?: part_check(ipam, pool, e);
	r = r ?: pool_read_options(ipam, pool, e);
	if (r)
		return r;
	if (form.gateway.family && !form.gateway_used)
		return field_wrong(ipam, "gateway", json_object_get(ipam->obj, "gateway"), e,
				   "inside a range");
	pool->whole = !part.told;
	if (pool->whole)
		log_info(
			"the range is taken for this node's alone, as other nodes are not asked: give each "
			"node its own, or \"nodes\" and node_slice_size");
	return 0;
}
