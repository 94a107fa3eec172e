/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/route.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <netlink/route/nexthop.h>
#include <netlink/route/route.h>
#include <string.h>

static uint32_t route_table(const struct route *r)
{
	return r->table ? r->table : RT_TABLE_MAIN;
}

static struct rtnl_nexthop *route_nexthop(const struct route *r)
{
	struct rtnl_nexthop *hop = rtnl_route_nh_alloc();
	struct nl_addr *gw;

	if (!hop)
		return NULL;
	rtnl_route_nh_set_ifindex(hop, r->ifindex);
	if (r->gw.family != AF_UNSPEC) {
		gw = nl_addr_build(r->gw.family, r->gw.bytes, inet_addr_size(&r->gw));
		if (!gw) {
			rtnl_route_nh_free(hop);
			return NULL;
		}
		rtnl_route_nh_set_gateway(hop, gw);
		nl_addr_put(gw);
	}
	return hop;
}

static struct nl_msg *route_add_msg(const struct route *r)
{
	struct nl_addr *dst =
		nl_addr_build(r->dst.addr.family, r->dst.addr.bytes, inet_addr_size(&r->dst.addr));
	struct rtnl_nexthop *hop = route_nexthop(r);
	struct rtnl_route *route = rtnl_route_alloc();
	struct nl_msg *msg = NULL;

	if (route && hop && dst) {
		nl_addr_set_prefixlen(dst, r->dst.len);
		rtnl_route_set_dst(route, dst);
		rtnl_route_add_nexthop(route, hop);
		hop = NULL; /* the route's own now */
		rtnl_route_set_table(route, route_table(r));
		rtnl_route_set_protocol(route, RTPROT_BOOT);
		if (r->set_scope)
			rtnl_route_set_scope(route, r->scope);
		else
			rtnl_route_set_scope(route, r->gw.family == AF_UNSPEC ? RT_SCOPE_LINK
									      : RT_SCOPE_UNIVERSE);
		if (r->priority)
			rtnl_route_set_priority(route, r->priority);
		if (r->mtu)
			rtnl_route_set_metric(route, RTAX_MTU, r->mtu);
		if (r->advmss)
			rtnl_route_set_metric(route, RTAX_ADVMSS, r->advmss);
		rtnl_route_build_add_request(route, NLM_F_CREATE | NLM_F_EXCL, &msg);
	}
	if (hop)
		rtnl_route_nh_free(hop);
	if (dst)
		nl_addr_put(dst);
	if (route)
		rtnl_route_put(route);
	return msg;
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
	     (tb[RTA_PRIORITY] && nla_get_u32(tb[RTA_PRIORITY]) == want->priority)))
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
