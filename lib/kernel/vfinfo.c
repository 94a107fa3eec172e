/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/vfinfo.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <string.h>

struct vf_search {
	uint32_t vf;
	uint8_t mac_len; /* a VF's MAC attribute is always 32 bytes; the PF's address tells how many count */
	struct vfinfo *found;
	bool is_found;
};

/* An attribute's data if it is long enough: some kernels send more, none less. */
static const void *attr_data(struct nlattr *const *tb, int type, size_t size)
{
	return tb[type] && (size_t)nla_len(tb[type]) >= size ? nla_data(tb[type]) : NULL;
}

/* IFLA_VF_VLAN_LIST has the protocol; IFLA_VF_VLAN, from older kernels, has not. */
static void parse_vlan(struct nlattr *const *tb, struct vfinfo *info)
{
	const struct ifla_vf_vlan *plain = attr_data(tb, IFLA_VF_VLAN, sizeof(*plain));
	struct nlattr *a;
	int rem;

	if (plain) {
		info->has |= VFINFO_VLAN;
		info->vlan = (uint16_t)plain->vlan;
		info->qos = (uint8_t)plain->qos;
		info->vlan_proto = ETH_P_8021Q;
	}
	if (!tb[IFLA_VF_VLAN_LIST])
		return;
	nla_for_each_nested(a, tb[IFLA_VF_VLAN_LIST], rem) {
		const struct ifla_vf_vlan_info *vlan = nla_data(a);

		if (nla_type(a) != IFLA_VF_VLAN_INFO || nla_len(a) < (int)sizeof(*vlan))
			continue;
		info->has |= VFINFO_VLAN;
		info->vlan = (uint16_t)vlan->vlan;
		info->qos = (uint8_t)vlan->qos;
		info->vlan_proto =
			ntohs(vlan->vlan_proto); /* network byte order in the attribute */
		return;
	}
}

/* Copied out: attributes begin at a multiple of 4, and this one has a number of 8 bytes. */
static bool parse_guid(struct nlattr *const *tb, int type, uint64_t *ret)
{
	const void *data = attr_data(tb, type, sizeof(struct ifla_vf_guid));
	struct ifla_vf_guid guid;

	if (!data)
		return false;
	memcpy(&guid, data, sizeof(guid));
	*ret = guid.guid;
	return true;
}

/* One IFLA_VF_INFO. Drivers that do not know a setting report it as -1 (all ones). */
static void parse_vf(struct nlattr *const *tb, uint8_t mac_len, struct vfinfo *info)
{
	const struct ifla_vf_mac *mac = attr_data(tb, IFLA_VF_MAC, sizeof(*mac));
	const struct ifla_vf_spoofchk *spoofchk =
		attr_data(tb, IFLA_VF_SPOOFCHK, sizeof(*spoofchk));
	const struct ifla_vf_trust *trust = attr_data(tb, IFLA_VF_TRUST, sizeof(*trust));
	const struct ifla_vf_link_state *link = attr_data(tb, IFLA_VF_LINK_STATE, sizeof(*link));
	const struct ifla_vf_rate *rate = attr_data(tb, IFLA_VF_RATE, sizeof(*rate));

	parse_vlan(tb, info);
	if (mac && mac_len == ETH_ALEN) { /* IPoIB tells its own there (ipoib_get_vf_config) */
		info->has |= VFINFO_MAC;
		info->mac.len = mac_len;
		memcpy(info->mac.bytes, mac->mac, mac_len);
	}
	if (spoofchk && spoofchk->setting != UINT32_MAX) {
		info->has |= VFINFO_SPOOFCHK;
		info->spoofchk = spoofchk->setting;
	}
	if (trust && trust->setting != UINT32_MAX) {
		info->has |= VFINFO_TRUST;
		info->trust = trust->setting;
	}
	if (link && link->link_state <= IFLA_VF_LINK_STATE_DISABLE) {
		info->has |= VFINFO_LINK_STATE;
		info->link_state = (uint8_t)link->link_state;
	}
	if (rate) {
		info->has |= VFINFO_RATE;
		info->min_rate = rate->min_tx_rate;
		info->max_rate = rate->max_tx_rate;
	}
	if (parse_guid(tb, IFLA_VF_IB_NODE_GUID, &info->node_guid))
		info->has |= VFINFO_NODE_GUID;
	if (parse_guid(tb, IFLA_VF_IB_PORT_GUID, &info->port_guid))
		info->has |= VFINFO_PORT_GUID;
}

static int match_vf(struct nlmsghdr *h, void *arg)
{
	struct nlattr *link[IFLA_MAX + 1], *tb[IFLA_VF_MAX + 1], *a;
	struct vf_search *search = arg;
	int rem;

	if (h->nlmsg_type != RTM_NEWLINK ||
	    nlmsg_parse(h, sizeof(struct ifinfomsg), link, IFLA_MAX, NULL) < 0)
		return -EBADMSG;
	if (!link[IFLA_VFINFO_LIST])
		return 0;
	search->mac_len = ETH_ALEN;
	if (link[IFLA_ADDRESS] && nla_len(link[IFLA_ADDRESS]) <= HWADDR_MAX)
		search->mac_len = (uint8_t)nla_len(link[IFLA_ADDRESS]);
	nla_for_each_nested(a, link[IFLA_VFINFO_LIST], rem) {
		const struct ifla_vf_mac *mac;

		if (nla_type(a) != IFLA_VF_INFO || nla_parse_nested(tb, IFLA_VF_MAX, a, NULL) < 0)
			continue;
		mac = attr_data(tb, IFLA_VF_MAC,
				sizeof(*mac)); /* always there, and it has the number */
		if (!mac || mac->vf != search->vf)
			continue;
		search->is_found = true;
		parse_vf(tb, search->mac_len, search->found);
	}
	return 0;
}

int vfinfo_get(struct netlink *nl, int pf_ifindex, uint32_t vf, struct vfinfo *ret)
{
	struct ifinfomsg header = { .ifi_family = AF_UNSPEC, .ifi_index = pf_ifindex };
	struct nl_msg *msg = netlink_msg(RTM_GETLINK, 0, &header, sizeof(header));
	struct vfinfo found = { 0 };
	struct vf_search search = { .vf = vf, .found = &found };
	int r;

	if (msg)
		nla_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_VF | RTEXT_FILTER_SKIP_STATS);
	r = netlink_request(nl, msg, match_vf, &search);
	if (!r && !search.is_found)
		r = -ENODEV;
	if (!r)
		*ret = found;
	return r;
}

/* The whole of VLAN_INFO, padding too: kernels refuse a shorter one. */
static int put_vlan(struct nl_msg *msg, uint32_t vf, const struct vfinfo *info)
{
	struct ifla_vf_vlan_info vlan = { .vf = vf,
					  .vlan = info->vlan,
					  .qos = info->qos,
					  .vlan_proto = htons(info->vlan_proto) };
	struct nlattr *list = nla_nest_start(msg, IFLA_VF_VLAN_LIST);

	if (!list || nla_put(msg, IFLA_VF_VLAN_INFO, sizeof(vlan), &vlan))
		return -EMSGSIZE;
	nla_nest_end(msg, list);
	return 0;
}

static int put_vf(struct nl_msg *msg, uint32_t vf, const struct vfinfo *info, unsigned int fields)
{
	struct ifla_vf_mac mac = { .vf = vf };
	struct ifla_vf_rate rate = { vf, info->min_rate, info->max_rate };
	struct ifla_vf_spoofchk spoofchk = { vf, info->spoofchk };
	struct ifla_vf_link_state link = { vf, info->link_state };
	struct ifla_vf_trust trust = { vf, info->trust };
	struct ifla_vf_guid node = { .vf = vf, .guid = info->node_guid };
	struct ifla_vf_guid port = { .vf = vf, .guid = info->port_guid };

	memcpy(mac.mac, info->mac.bytes, info->mac.len);
	if (fields & VFINFO_MAC)
		NLA_PUT(msg, IFLA_VF_MAC, sizeof(mac), &mac);
	if ((fields & VFINFO_VLAN) && put_vlan(msg, vf, info))
		goto nla_put_failure;
	if (fields & VFINFO_RATE)
		NLA_PUT(msg, IFLA_VF_RATE, sizeof(rate), &rate);
	if (fields & VFINFO_SPOOFCHK)
		NLA_PUT(msg, IFLA_VF_SPOOFCHK, sizeof(spoofchk), &spoofchk);
	if (fields & VFINFO_LINK_STATE)
		NLA_PUT(msg, IFLA_VF_LINK_STATE, sizeof(link), &link);
	if (fields & VFINFO_TRUST)
		NLA_PUT(msg, IFLA_VF_TRUST, sizeof(trust), &trust);
	if (fields & VFINFO_NODE_GUID)
		NLA_PUT(msg, IFLA_VF_IB_NODE_GUID, sizeof(node), &node);
	if (fields & VFINFO_PORT_GUID)
		NLA_PUT(msg, IFLA_VF_IB_PORT_GUID, sizeof(port), &port);
	return 0;

nla_put_failure:
	return -EMSGSIZE;
}

int vfinfo_set(struct netlink *nl, int pf_ifindex, uint32_t vf, const struct vfinfo *info,
	       unsigned int fields)
{
	struct ifinfomsg header = { .ifi_family = AF_UNSPEC, .ifi_index = pf_ifindex };
	struct nl_msg *msg = netlink_msg(RTM_NEWLINK, 0, &header, sizeof(header));
	struct nlattr *list, *one;

	if (!msg)
		return -ENOMEM;
	list = nla_nest_start(msg, IFLA_VFINFO_LIST);
	one = list ? nla_nest_start(msg, IFLA_VF_INFO) : NULL;
	if (!one || put_vf(msg, vf, info, fields)) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, one);
	nla_nest_end(msg, list);
	return netlink_request(nl, msg, NULL, NULL);
}
