/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/route.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>

static int put_metrics(struct nl_msg *msg, const struct route *r)
{
	struct nlattr *list = nla_nest_start(msg, RTA_METRICS);

	if (!list)
		return -EMSGSIZE;
	if (r->mtu)
		NLA_PUT_U32(msg, RTAX_MTU, r->mtu);
	if (r->advmss)
		NLA_PUT_U32(msg, RTAX_ADVMSS, r->advmss);
	nla_nest_end(msg, list);
	return 0;

nla_put_failure:
	return -EMSGSIZE;
}

static struct nl_msg *route_add_msg(const struct route *r)
{
	bool direct = r->gw.family == AF_UNSPEC;
	struct rtmsg info = {
		.rtm_family = (uint8_t)r->dst.addr.family,
		.rtm_dst_len = r->dst.len,
		.rtm_table = RT_TABLE_UNSPEC, /* RTA_TABLE has room for all numbers */
		.rtm_protocol = RTPROT_BOOT,
		.rtm_scope = r->set_scope ? r->scope
			     : direct	  ? RT_SCOPE_LINK
					  : RT_SCOPE_UNIVERSE,
		.rtm_type = RTN_UNICAST,
	};
	struct nl_msg *msg =
		netlink_msg(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, &info, sizeof(info));

	if (!msg)
		return NULL;
	NLA_PUT(msg, RTA_DST, (int)inet_addr_size(&r->dst.addr), r->dst.addr.bytes);
	if (!direct)
		NLA_PUT(msg, RTA_GATEWAY, (int)inet_addr_size(&r->gw), r->gw.bytes);
	NLA_PUT_U32(msg, RTA_OIF, (uint32_t)r->ifindex);
	NLA_PUT_U32(msg, RTA_TABLE, r->table ? r->table : RT_TABLE_MAIN);
	if (r->priority)
		NLA_PUT_U32(msg, RTA_PRIORITY, r->priority);
	if ((r->mtu || r->advmss) && put_metrics(msg, r))
		goto nla_put_failure;
	return msg;

nla_put_failure:
	nlmsg_free(msg);
	return NULL;
}

int route_add(struct netlink *nl, const struct route *route)
{
	int r = netlink_request(nl, route_add_msg(route), NULL, NULL);
	bool exists = false;

	if (r == -EEXIST && !route_exists(nl, route, &exists) && exists)
		r = 0;
	return r;
}

struct route_search {
	const struct route *want;
	bool found;
};

static bool attr_is_addr(const struct nlattr *a, const struct inet_addr *addr)
{
	if (addr->family == AF_UNSPEC)
		return !a;
	return a && nla_len(a) == (int)inet_addr_size(addr) &&
	       !memcmp(nla_data(a), addr->bytes, inet_addr_size(addr));
}

/* A default route has no RTA_DST. */
static bool dst_matches(const struct rtmsg *info, const struct nlattr *dst,
			const struct inet_net *want)
{
	return info->rtm_family == want->addr.family && info->rtm_dst_len == want->len &&
	       (want->len ? attr_is_addr(dst, &want->addr) : !dst);
}

static bool metric_matches(struct nlattr *metrics, int which, uint32_t want)
{
	struct nlattr *a =
		want && metrics ? nla_find(nla_data(metrics), nla_len(metrics), which) : NULL;

	return !want || (a && nla_len(a) == sizeof(want) && nla_get_u32(a) == want);
}

/* What a route may have or not. IPv6 knows no scopes, and tells universe. */
static bool options_match(const struct rtmsg *info, struct nlattr *const *tb,
			  const struct route *want)
{
	return metric_matches(tb[RTA_METRICS], RTAX_MTU, want->mtu) &&
	       metric_matches(tb[RTA_METRICS], RTAX_ADVMSS, want->advmss) &&
	       (!want->set_scope || info->rtm_family != AF_INET || info->rtm_scope == want->scope);
}

static int match_route(struct nlmsghdr *h, void *arg)
{
	struct route_search *search = arg;
	const struct route *want = search->want;
	const struct rtmsg *info = nlmsg_data(h);
	struct nlattr *tb[RTA_MAX + 1];

	if (nlmsg_parse(h, sizeof(*info), tb, RTA_MAX, NULL) < 0)
		return -EBADMSG;
	if (dst_matches(info, tb[RTA_DST], &want->dst) &&
	    attr_is_addr(tb[RTA_GATEWAY], &want->gw) && tb[RTA_OIF] &&
	    (int)nla_get_u32(tb[RTA_OIF]) == want->ifindex && tb[RTA_TABLE] &&
	    (!want->table || nla_get_u32(tb[RTA_TABLE]) == want->table) &&
	    (!want->priority ||
	     (tb[RTA_PRIORITY] && nla_get_u32(tb[RTA_PRIORITY]) == want->priority)) &&
	    options_match(info, tb, want))
		search->found = true;
	return 0;
}

int route_exists(struct netlink *nl, const struct route *route, bool *ret)
{
	struct rtmsg info = { .rtm_family = (unsigned char)route->dst.addr.family };
	struct route_search search = { .want = route };
	int r = netlink_request(nl, netlink_msg(RTM_GETROUTE, NLM_F_DUMP, &info, sizeof(info)),
				match_route, &search);

	if (!r)
		*ret = search.found;
	return r;
}

struct table_search {
	uint32_t table;
	bool found;
};

static int match_table(struct nlmsghdr *h, void *arg)
{
	const struct nlattr *table = nlmsg_find_attr(h, sizeof(struct rtmsg), RTA_TABLE);
	struct table_search *search = arg;

	if (table && nla_len(table) == sizeof(search->table) && nla_get_u32(table) == search->table)
		search->found = true;
	return 0;
}

int route_table_used(struct netlink *nl, uint32_t table, bool *ret)
{
	struct rtmsg info = { .rtm_family = AF_UNSPEC };
	struct table_search search = { .table = table };
	int r = netlink_request(nl, netlink_msg(RTM_GETROUTE, NLM_F_DUMP, &info, sizeof(info)),
				match_table, &search);

	if (!r)
		*ret = search.found;
	return r;
}
