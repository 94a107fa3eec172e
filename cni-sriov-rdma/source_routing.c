/* SPDX-License-Identifier: Apache-2.0 */
#include "source_routing.h"

#include "addressing.h"
#include "attachments.h"
#include "base/cleanup.h"
#include "kernel/rule.h"

#include <errno.h>
#include <linux/rtnetlink.h>

#define NOTE	      "sourceRouting" /* in the record: table, addresses */
#define TABLE_BASE    1000
#define RULE_PRIORITY 32765 /* right before the main table's, where ip-rule(8) puts the first one */

/* The kernel's metric of an IPv6 net on a link (IP6_RT_PRIO_ADDRCONF): with another one it would be another route. */
#define NET_METRIC 256

static struct rule rule_of(const struct inet_addr *address, uint32_t table)
{
	return (struct rule){
		.from = { *address, (uint8_t)inet_addr_bits(address) },
		.table = table,
		.priority = RULE_PRIORITY,
		.protocol = RTPROT_BOOT,
	};
}

static int rule_failed(struct vf_site *site, struct err *e, int r, const char *what,
		       const struct rule *rule)
{
	char text[INET_TEXT];

	netlink_err(&site->pod, e, r, "%s the rule from %s to table %u", what,
		    inet_addr_format(&rule->from.addr, text), rule->table);
	if (r == -EAFNOSUPPORT || r == -EOPNOTSUPP)
		err_details(e, "sourceRouting: this kernel has no policy routing "
			       "(CONFIG_IP_MULTIPLE_TABLES, CONFIG_IPV6_MULTIPLE_TABLES)");
	return r;
}

/* --- which table -------------------------------------------------------------------------------------------- */

/* The namespace's rules, of both families. */
struct rules {
	struct rule *list[2];
	size_t count[2];
};

static void rules_done(struct rules *r)
{
	free(r->list[0]);
	free(r->list[1]);
}

static int read_rules(struct vf_site *site, struct rules *ret, struct err *e)
{
	static const int families[2] = { AF_INET, AF_INET6 };
	int r = 0;

	for (unsigned int i = 0; !r && i < 2; i++)
		r = rule_list(&site->pod, families[i], &ret->list[i], &ret->count[i]);
	/* a kernel without IPv6 answers for another family, or not at all; then there are none */
	return r && r != -EAFNOSUPPORT && r != -EOPNOTSUPP
		       ? netlink_err(&site->pod, e, r, "list the pod's routing rules")
		       : 0;
}

static bool has_rule(const struct rules *rules, uint32_t table)
{
	for (unsigned int f = 0; f < 2; f++)
		for (size_t i = 0; i < rules->count[f]; i++)
			if (rules->list[f][i].table == table)
				return true;
	return false;
}

static int table_used(struct vf_site *site, uint32_t table, bool *ret, struct err *e)
{
	int r = route_table_used(&site->pod, table, ret);

	return r ? netlink_err(&site->pod, e, r, "list the pod's routes") : 0;
}

static int choose_table(struct vf_site *site, int ifindex, const struct rules *rules, uint32_t *ret,
			struct err *e)
{
	uint32_t table = TABLE_BASE + (uint32_t)ifindex;
	bool used = true;
	int r = 0;

	for (; !r; table++) {
		if (has_rule(rules, table))
			continue;
		r = table_used(site, table, &used, e);
		if (!r && !used)
			break;
	}
	if (!r)
		*ret = table;
	return r;
}

static bool is_own_address(const struct cni_result *result, const struct inet_net *from)
{
	for (size_t i = 0; i < result->ip_count; i++)
		if (inet_addr_equal(&result->ips[i].address.addr, &from->addr) &&
		    from->len == inet_addr_bits(&from->addr))
			return true;
	return false;
}

static int remove_left_rules(struct vf_site *site, const struct cni_result *result,
			     const struct rules *rules, struct err *e)
{
	for (unsigned int f = 0; f < 2; f++)
		for (size_t i = 0; i < rules->count[f]; i++) {
			const struct rule *rule = &rules->list[f][i];
			bool used = false;
			int r;

			if (!is_own_address(result, &rule->from))
				continue;
			r = table_used(site, rule->table, &used, e);
			if (!r && !used && (r = rule_del(&site->pod, rule)))
				rule_failed(site, e, r, "remove", rule);
			if (r)
				return r;
		}
	return 0;
}

/* --- the table's routes ------------------------------------------------------------------------------------- */

typedef int route_fn(struct vf_site *site, const struct route *route, bool main_too, struct err *e);

static bool has_default(const struct cni_result *result, size_t ips, int family)
{
	for (size_t i = 0; i < result->route_count; i++)
		if (result->routes[i].dst.addr.family == family && !result->routes[i].dst.len &&
		    !result->routes[i].table.set)
			return true;
	for (size_t i = 0; i < ips; i++)
		if (result->ips[i].gateway.family == family)
			return true;
	return false;
}

static int each_net(struct vf_site *site, int ifindex, const struct cni_result *result,
		    uint32_t table, route_fn *fn, struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < result->ip_count; i++) {
		struct route net = { .ifindex = ifindex,
				     .dst = result->ips[i].address,
				     .table = table };

		if (net.dst.len == inet_addr_bits(&net.dst.addr))
			continue; /* nobody else is in it */
		inet_net_mask(&net.dst);
		if (net.dst.addr.family == AF_INET6)
			net.priority = NET_METRIC;
		r = fn(site, &net, true, e);
	}
	return r;
}

/* Nets first, which the gateways are looked up in. */
static int each_route(struct vf_site *site, int ifindex, const struct cni_result *result,
		      uint32_t table, route_fn *fn, struct err *e)
{
	int r = each_net(site, ifindex, result, table, fn, e);

	for (size_t i = 0; !r && i < result->route_count; i++) {
		struct route route = addressing_route(ifindex, &result->routes[i], result);
		bool main_too = !result->routes[i].table.set && route.dst.len;

		if (!result->routes[i].table.set)
			route.table = table;
		r = fn(site, &route, main_too, e);
	}
	for (size_t i = 0; !r && i < result->ip_count; i++) {
		const struct inet_addr *gw = &result->ips[i].gateway;
		struct route route = { .ifindex = ifindex,
				       .dst = { .addr.family = gw->family },
				       .gw = *gw,
				       .table = table };

		if (gw->family != AF_UNSPEC && !has_default(result, i, gw->family))
			r = fn(site, &route, false, e);
	}
	return r;
}

/*
 * The kernel itself refuses a second route to a destination in one table, with one metric; and one through a gateway
 * whose net is another interface's there.
 */
static int add_route(struct vf_site *site, const struct route *route, bool main_too, struct err *e)
{
	struct route in_main = *route;
	int r = addressing_add_route(site, route, e);

	if (r || !main_too)
		return r;
	in_main.table = RT_TABLE_MAIN;
	r = addressing_add_route(site, &in_main, e);
	return r == -EEXIST || r == -ENETUNREACH || r == -EHOSTUNREACH ? 0 : r;
}

static int check_route(struct vf_site *site, const struct route *route, bool main_too,
		       struct err *e)
{
	char dst[INET_TEXT];
	bool exists = false;
	int r = route_exists(&site->pod, route, &exists);

	(void)main_too;
	if (r)
		return netlink_err(&site->pod, e, r, "list routes");
	return exists ? 0
		      : err_set(e, CNI_ERR_STATE, 0, "route %s is missing in table %u",
				inet_net_format(&route->dst, dst), route->table);
}

/* --- the whole ---------------------------------------------------------------------------------------------- */

static int note(struct record *record, const struct cni_result *result, uint32_t table,
		struct err *e)
{
	json_t *addresses = json_array();
	char text[INET_TEXT];
	json_t *own;

	for (size_t i = 0; i < result->ip_count; i++)
		json_array_append_new(addresses, json_string(inet_addr_format(
							 &result->ips[i].address.addr, text)));
	own = json_pack("{s:I, s:o}", "table", (json_int_t)table, "addresses", addresses);
	if (!own || json_object_set_new(record->root, NOTE, own))
		return err_set(e, CNI_ERR_IO, ENOMEM, "note the routing table");
	return 0;
}

/* The rules that a record notes; stops at the first that @fn fails for. */
static int each_rule(struct vf_site *site, const struct record *record,
		     int (*fn)(struct vf_site *site, const struct rule *rule, struct err *e),
		     struct err *e)
{
	json_t *own = json_object_get(record->root, NOTE), *text;
	json_int_t table = json_integer_value(json_object_get(own, "table"));
	struct inet_addr address;
	size_t i;
	int r = 0;

	json_array_foreach(json_object_get(own, "addresses"), i, text)
		if (json_is_string(text) && table > 0 && table <= UINT32_MAX &&
		    !inet_addr_parse(json_string_value(text), &address)) {
			struct rule rule = rule_of(&address, (uint32_t)table);

			r = fn(site, &rule, e);
			if (r)
				break;
		}
	return r;
}

static int add_rule(struct vf_site *site, const struct rule *rule, struct err *e)
{
	int r = rule_add(&site->pod, rule);

	return r ? rule_failed(site, e, r, "add", rule) : 0;
}

static int remove_rule(struct vf_site *site, const struct rule *rule, struct err *e)
{
	int r = rule_del(&site->pod, rule);

	return r ? rule_failed(site, e, r, "remove", rule) : 0;
}

int source_routing_apply(struct vf_site *site, int store, int ifindex,
			 const struct cni_result *result, struct record *record, struct err *e)
{
	__attribute__((cleanup(rules_done))) struct rules rules = { 0 };
	auto_close int lock = attachments_lock(store, e);
	uint32_t table = 0;
	int r;

	if (lock < 0)
		return lock;
	r = read_rules(site, &rules, e);
	r = r ?: remove_left_rules(site, result, &rules, e);
	r = r ?: choose_table(site, ifindex, &rules, &table, e);
	r = r ?: note(record, result, table, e);
	r = r ?: record_save(store, record, e);
	r = r ?: each_route(site, ifindex, result, table, add_route, e);
	return r ?: each_rule(site, record, add_rule, e);
}

bool source_routing_is_noted(const struct record *record)
{
	return json_object_get(record->root, NOTE);
}

static bool rules_have(const struct rules *rules, const struct rule *want)
{
	for (unsigned int f = 0; f < 2; f++)
		for (size_t i = 0; i < rules->count[f]; i++) {
			const struct rule *rule = &rules->list[f][i];

			if (rule->table == want->table && rule->from.len == want->from.len &&
			    inet_addr_equal(&rule->from.addr, &want->from.addr))
				return true;
		}
	return false;
}

static int check_rule(struct vf_site *site, const struct rule *want, struct err *e)
{
	__attribute__((cleanup(rules_done))) struct rules rules = { 0 };
	char text[INET_TEXT];
	int r = read_rules(site, &rules, e);

	if (r || rules_have(&rules, want))
		return r;
	return err_set(e, CNI_ERR_STATE, 0, "the rule from %s to table %u is missing",
		       inet_addr_format(&want->from.addr, text), want->table);
}

int source_routing_check(struct vf_site *site, int ifindex, const struct cni_result *result,
			 const struct record *record, struct err *e)
{
	json_t *table = json_object_get(json_object_get(record->root, NOTE), "table");
	int r = each_rule(site, record, check_rule, e);

	return r
		       ?: each_route(site, ifindex, result, (uint32_t)json_integer_value(table),
				     check_route, e);
}

int source_routing_undo(struct vf_site *site, const struct record *record, struct err *e)
{
	return site->pod_ns < 0 ? 0 : each_rule(site, record, remove_rule, e);
}
