/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/addr.h"

#include "base/cleanup.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <netlink/route/addr.h>
#include <string.h>

/* The last address of the net, which Ethernet hosts use for broadcasts; none for /31 and /32 (RFC 3021). */
static struct nl_addr *broadcast_of(const struct inet_net *net)
{
	struct inet_addr last = net->addr;

	if (last.family != AF_INET || net->len >= 31)
		return NULL;
	for (unsigned int bit = net->len; bit < 32; bit++)
		last.bytes[bit / 8] |= (uint8_t)(0x80 >> bit % 8);
	return nl_addr_build(AF_INET, last.bytes, 4);
}

static struct nl_msg *addr_add_msg(int ifindex, const struct inet_net *address)
{
	size_t size = inet_addr_size(&address->addr);
	struct nl_addr *local = nl_addr_build(address->addr.family, address->addr.bytes, size);
	struct nl_addr *broadcast = broadcast_of(address);
	struct rtnl_addr *a = rtnl_addr_alloc();
	struct nl_msg *msg = NULL;

	if (a && local) {
		nl_addr_set_prefixlen(local, address->len);
		rtnl_addr_set_ifindex(a, ifindex);
		rtnl_addr_set_local(a, local);
		if (broadcast)
			rtnl_addr_set_broadcast(a, broadcast);
		if (address->addr.family == AF_INET6)
			rtnl_addr_set_flags(a, IFA_F_NODAD);
		rtnl_addr_build_add_request(a, NLM_F_CREATE | NLM_F_EXCL, &msg);
	}
	if (broadcast)
		nl_addr_put(broadcast);
	if (local)
		nl_addr_put(local);
	if (a)
		rtnl_addr_put(a);
	return msg;
}

int addr_add(struct netlink *nl, int ifindex, const struct inet_net *address)
{
	int r = netlink_request(nl, addr_add_msg(ifindex, address), NULL, NULL);

	return r == -EEXIST ? 0 : r;
}

struct addr_collect {
	int ifindex;
	struct inet_net *list;
	size_t count;
};

static int collect_addr(struct nlmsghdr *h, void *arg)
{
	struct addr_collect *c = arg;
	const struct ifaddrmsg *info = nlmsg_data(h);
	struct nlattr *tb[IFA_MAX + 1], *bytes;
	struct inet_net *grown;

	if (nlmsg_parse(h, sizeof(*info), tb, IFA_MAX, NULL) < 0)
		return -EBADMSG;
	/* IFA_ADDRESS is the peer's on a point-to-point link; IPv6 has IFA_LOCAL only there */
	bytes = tb[IFA_LOCAL] ? tb[IFA_LOCAL] : tb[IFA_ADDRESS];
	if ((int)info->ifa_index != c->ifindex || !bytes || nla_len(bytes) > 16)
		return 0;
	grown = reallocarray(c->list, c->count + 1, sizeof(*c->list));
	if (!grown)
		return -ENOMEM;
	c->list = grown;
	c->list[c->count] =
		(struct inet_net){ .addr.family = info->ifa_family, .len = info->ifa_prefixlen };
	nla_memcpy(c->list[c->count].addr.bytes, bytes, 16);
	c->count++;
	return 0;
}

int addr_list(struct netlink *nl, int ifindex, struct inet_net **ret, size_t *ret_count)
{
	struct ifaddrmsg info = { .ifa_family = AF_UNSPEC, .ifa_index = (uint32_t)ifindex };
	struct addr_collect c = { .ifindex = ifindex };
	int r = netlink_request(nl, netlink_msg(RTM_GETADDR, NLM_F_DUMP, &info, sizeof(info)),
				collect_addr, &c);

	if (r) {
		free(c.list);
		return r;
	}
	*ret = c.list;
	*ret_count = c.count;
	return 0;
}
