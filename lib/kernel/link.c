/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/link.h"

#include <errno.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <string.h>

static const struct nla_policy link_policy[IFLA_MAX + 1] = {
	[IFLA_IFNAME] = { .type = NLA_STRING, .maxlen = IFNAMSIZ },
	[IFLA_MTU] = { .type = NLA_U32 },
	[IFLA_TXQLEN] = { .type = NLA_U32 },
	[IFLA_GROUP] = { .type = NLA_U32 },
	[IFLA_MAX_MTU] = { .type = NLA_U32 },
	[IFLA_PROP_LIST] = { .type = NLA_NESTED },
};

static uint32_t attr_u32(struct nlattr *const *tb, int type)
{
	return tb[type] ? nla_get_u32(tb[type]) : 0;
}

static void attr_text(struct nlattr *const *tb, int type, char *buf, size_t size)
{
	buf[0] = '\0';
	if (tb[type])
		nla_strlcpy(buf, tb[type], size);
}

static void parse_altnames(struct nlattr *list, struct link *l)
{
	struct nlattr *a;
	int rem;

	nla_for_each_nested(a, list, rem) {
		if (nla_type(a) != IFLA_ALT_IFNAME)
			continue;
		if (l->altname_count < LINK_ALTNAMES)
			nla_strlcpy(l->altnames[l->altname_count], a, LINK_ALTNAME_MAX);
		l->altname_count++;
	}
}

static int link_parse(struct nlmsghdr *h, void *arg)
{
	struct nlattr *tb[IFLA_MAX + 1];
	struct ifinfomsg *info = nlmsg_data(h);
	const unsigned int running = IFF_UP | IFF_LOWER_UP | IFF_RUNNING;
	struct link *l = arg;

	if (h->nlmsg_type != RTM_NEWLINK ||
	    nlmsg_parse(h, sizeof(*info), tb, IFLA_MAX,
			(struct nla_policy *)(uintptr_t)link_policy) < 0)
		return -EBADMSG;
	*l = (struct link){ .ifindex = info->ifi_index, .flags = info->ifi_flags };
	l->carrier = (info->ifi_flags & running) == running;
	attr_text(tb, IFLA_IFNAME, l->name, sizeof(l->name));
	attr_text(tb, IFLA_IFALIAS, l->alias, sizeof(l->alias));
	attr_text(tb, IFLA_PARENT_DEV_NAME, l->parent, sizeof(l->parent));
	l->mtu = attr_u32(tb, IFLA_MTU);
	l->max_mtu = attr_u32(tb, IFLA_MAX_MTU);
	l->txqlen = attr_u32(tb, IFLA_TXQLEN);
	l->group = attr_u32(tb, IFLA_GROUP);
	if (tb[IFLA_ADDRESS])
		l->mac.len = (uint8_t)nla_memcpy(l->mac.bytes, tb[IFLA_ADDRESS], HWADDR_MAX);
	if (tb[IFLA_PROP_LIST])
		parse_altnames(tb[IFLA_PROP_LIST], l);
	return 0;
}

static struct nl_msg *link_query(int ifindex, int flags)
{
	struct ifinfomsg info = { .ifi_family = AF_UNSPEC, .ifi_index = ifindex };
	struct nl_msg *msg = netlink_msg(RTM_GETLINK, flags, &info, sizeof(info));

	if (msg)
		nla_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	return msg;
}

int link_get(struct netlink *nl, int ifindex, const char *name, struct link *ret)
{
	struct nl_msg *msg = link_query(ifindex, 0);
	struct link l = { 0 };
	int r;

	if (msg && !ifindex) /* an altname may be longer than a name */
		nla_put_string(msg, strlen(name) < IFNAMSIZ ? IFLA_IFNAME : IFLA_ALT_IFNAME, name);
	r = netlink_request(nl, msg, link_parse, &l);
	if (!r && !l.ifindex)
		r = -ENODEV;
	if (!r)
		*ret = l;
	return r;
}

struct parent_search {
	const char *parent;
	struct link *found;
};

static int match_parent(struct nlmsghdr *h, void *arg)
{
	const struct parent_search *search = arg;
	struct link l;
	int r = link_parse(h, &l);

	if (!r && !strcmp(l.parent, search->parent))
		*search->found = l; /* go on: a dump must be read to its end */
	return r;
}

int link_find_by_parent(struct netlink *nl, const char *parent, struct link *ret)
{
	struct link found = { 0 };
	struct parent_search search = { .parent = parent, .found = &found };
	int r = netlink_request(nl, link_query(0, NLM_F_DUMP), match_parent, &search);

	if (!r && !found.ifindex)
		r = -ENODEV;
	if (!r)
		*ret = found;
	return r;
}

int link_set(struct netlink *nl, int ifindex, const struct link_change *c)
{
	struct ifinfomsg info = {
		.ifi_family = AF_UNSPEC,
		.ifi_index = ifindex,
		.ifi_flags = c->flags & c->flag_mask,
		.ifi_change = c->flag_mask,
	};
	struct nl_msg *msg = netlink_msg(RTM_NEWLINK, 0, &info, sizeof(info));

	if (!msg)
		return -ENOMEM;
	if (c->netns >= 0)
		NLA_PUT_U32(msg, IFLA_NET_NS_FD, (uint32_t)c->netns);
	if (c->mac)
		NLA_PUT(msg, IFLA_ADDRESS, c->mac->len, c->mac->bytes);
	if (c->mtu)
		NLA_PUT_U32(msg, IFLA_MTU, c->mtu);
	if (c->name)
		NLA_PUT_STRING(msg, IFLA_IFNAME, c->name);
	if (c->alias)
		NLA_PUT(msg, IFLA_IFALIAS, (int)strlen(c->alias), c->alias);
	if (c->set_txqlen)
		NLA_PUT_U32(msg, IFLA_TXQLEN, c->txqlen);
	if (c->set_group)
		NLA_PUT_U32(msg, IFLA_GROUP, c->group);
	return netlink_request(nl, msg, NULL, NULL);

nla_put_failure:
	nlmsg_free(msg);
	return -EMSGSIZE;
}

static int link_altname(struct netlink *nl, uint16_t type, int flags, int ifindex,
			const char *altname)
{
	struct ifinfomsg info = { .ifi_family = AF_UNSPEC, .ifi_index = ifindex };
	struct nl_msg *msg = netlink_msg(type, flags, &info, sizeof(info));
	struct nlattr *list;

	if (!msg)
		return -ENOMEM;
	list = nla_nest_start(msg, IFLA_PROP_LIST);
	if (!list)
		goto nla_put_failure;
	NLA_PUT_STRING(msg, IFLA_ALT_IFNAME, altname);
	nla_nest_end(msg, list);
	return netlink_request(nl, msg, NULL, NULL);

nla_put_failure:
	nlmsg_free(msg);
	return -EMSGSIZE;
}

int link_altname_add(struct netlink *nl, int ifindex, const char *altname)
{
	return link_altname(nl, RTM_NEWLINKPROP, NLM_F_CREATE | NLM_F_EXCL | NLM_F_APPEND, ifindex,
			    altname);
}

int link_altname_del(struct netlink *nl, int ifindex, const char *altname)
{
	return link_altname(nl, RTM_DELLINKPROP, 0, ifindex, altname);
}
