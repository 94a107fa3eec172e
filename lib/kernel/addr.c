/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/addr.h"

#include "base/cleanup.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <string.h>

/* The last address of the net, which Ethernet hosts use for broadcasts; none for /31 and /32 (RFC 3021). */
static bool broadcast_of(const struct inet_net *net, struct inet_addr *ret)
{
	if (net->addr.family != AF_INET || net->len >= 31)
		return false;
	*ret = net->addr;
	for (unsigned int bit = net->len; bit < 32; bit++)
		ret->bytes[bit / 8] |= (uint8_t)(0x80 >> bit % 8);
	return true;
}

int addr_add(struct netlink *nl, int ifindex, const struct inet_net *address, bool prefix_route)
{
	uint32_t flags = address->addr.family == AF_INET6 ? IFA_F_NODAD : 0;
	struct ifaddrmsg info = {
		.ifa_family = (uint8_t)address->addr.family,
		.ifa_prefixlen = address->len,
		.ifa_index = (uint32_t)ifindex,
	};
	struct nl_msg *msg =
		netlink_msg(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &info, sizeof(info));
	int size = (int)inet_addr_size(&address->addr), r;
	struct inet_addr broadcast;

	if (!msg)
		return -ENOMEM;
	NLA_PUT(msg, IFA_LOCAL, size, address->addr.bytes);
	NLA_PUT(msg, IFA_ADDRESS, size, address->addr.bytes);
	if (!prefix_route)
		flags |= IFA_F_NOPREFIXROUTE; /* above the header's 8 bits */
	NLA_PUT_U32(msg, IFA_FLAGS, flags);
	if (broadcast_of(address, &broadcast))
		NLA_PUT(msg, IFA_BROADCAST, size, broadcast.bytes);
	r = netlink_request(nl, msg, NULL, NULL);
	return r == -EEXIST ? 0 : r;

nla_put_failure:
	nlmsg_free(msg);
	return -EMSGSIZE;
}

int addr_del(struct netlink *nl, int ifindex, const struct inet_net *address)
{
	struct ifaddrmsg info = {
		.ifa_family = (uint8_t)address->addr.family,
		.ifa_prefixlen = address->len,
		.ifa_index = (uint32_t)ifindex,
	};
	struct nl_msg *msg = netlink_msg(RTM_DELADDR, 0, &info, sizeof(info));
	int r;

	if (!msg)
		return -ENOMEM;
	NLA_PUT(msg, IFA_LOCAL, (int)inet_addr_size(&address->addr), address->addr.bytes);
	r = netlink_request(nl, msg, NULL, NULL);
	return r == -EADDRNOTAVAIL ? 0 : r;

nla_put_failure:
	nlmsg_free(msg);
	return -EMSGSIZE;
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
