/* SPDX-License-Identifier: Apache-2.0 */
#include "vf/state.h"

#include "base/cleanup.h"

#include <linux/if_ether.h>
#include <stdio.h>
#include <string.h>

bool vf_has_altname(const struct vf_state *s, const char *altname)
{
	for (unsigned int i = 0; i < s->altname_count && i < LINK_ALTNAMES; i++)
		if (!strcmp(s->altnames[i], altname))
			return true;
	return false;
}

/* As sets: one that was taken away and given back stands at the end. */
static bool altnames_equal(const struct vf_state *a, const struct vf_state *b)
{
	if (a->altname_count != b->altname_count)
		return false;
	for (unsigned int i = 0; i < a->altname_count && i < LINK_ALTNAMES; i++)
		if (!vf_has_altname(b, a->altnames[i]))
			return false;
	return true;
}

static bool rdma_places_equal(const struct vf_state *a, const struct vf_state *b)
{
	if (a->rdma_count != b->rdma_count)
		return false;
	for (unsigned int i = 0; i < a->rdma_count; i++)
		if (a->rdma[i].place != b->rdma[i].place)
			return false;
	return true;
}

static bool rdma_names_equal(const struct vf_state *a, const struct vf_state *b)
{
	if (a->rdma_count != b->rdma_count)
		return false;
	for (unsigned int i = 0; i < a->rdma_count; i++)
		if (strcmp(a->rdma[i].name, b->rdma[i].name))
			return false;
	return true;
}

static bool vlan_equal(const struct vfinfo *a, const struct vfinfo *b)
{
	/* without a VLAN there is nothing that the protocol would tag */
	return a->vlan == b->vlan && a->qos == b->qos &&
	       (a->vlan_proto == b->vlan_proto || (!a->vlan && !a->qos));
}

uint64_t vf_settable_guid(const struct vf_state *s, uint64_t guid)
{
	return guid ?: hwaddr_guid(&s->mac) ?: UINT64_MAX;
}

static bool guid_equal(uint64_t now, const struct vf_state *want, uint64_t guid)
{
	return now == guid || now == vf_settable_guid(want, guid);
}

/* An IPoIB interface has another queue pair, and may have another subnet prefix, each time it is made. */
static bool mac_equal(const struct hwaddr *a, const struct hwaddr *b)
{
	if (hwaddr_is_ipoib(a) && hwaddr_is_ipoib(b))
		return hwaddr_guid(a) == hwaddr_guid(b);
	return hwaddr_equal(a, b);
}

static bool field_equal(const struct vf_state *a, const struct vf_state *b, unsigned int field)
{
	switch (field) {
	case VF_NETNS:
		return a->place == b->place;
	case VF_NAME:
		return !strcmp(a->name, b->name);
	case VF_MAC:
		return mac_equal(&a->mac, &b->mac);
	case VF_MTU:
		return a->mtu == b->mtu;
	case VF_TXQLEN:
		return a->txqlen == b->txqlen;
	case VF_FLAGS:
		return a->flags == b->flags;
	case VF_ALIAS:
		return !strcmp(a->alias, b->alias);
	case VF_ALTNAMES:
		return altnames_equal(a, b);
	case VF_GROUP:
		return a->group == b->group;
	case VF_PF_MAC:
		return hwaddr_equal(&a->pf.mac, &b->pf.mac);
	case VF_PF_VLAN:
		return vlan_equal(&a->pf, &b->pf);
	case VF_PF_SPOOFCHK:
		return a->pf.spoofchk == b->pf.spoofchk;
	case VF_PF_TRUST:
		return a->pf.trust == b->pf.trust;
	case VF_PF_LINK_STATE:
		return a->pf.link_state == b->pf.link_state;
	case VF_PF_RATE:
		return a->pf.min_rate == b->pf.min_rate && a->pf.max_rate == b->pf.max_rate;
	case VF_PF_NODE_GUID:
		return guid_equal(a->pf.node_guid, b, b->pf.node_guid);
	case VF_PF_PORT_GUID:
		return guid_equal(a->pf.port_guid, b, b->pf.port_guid);
	case VF_RDMA_NETNS:
		return rdma_places_equal(a, b);
	case VF_RDMA_NAME:
		return rdma_names_equal(a, b);
	case VF_DRIVER:
		return !strcmp(a->driver, b->driver);
	}
	return false;
}

unsigned int vf_diff(const struct vf_state *now, const struct vf_state *want)
{
	unsigned int diff = 0;

	for (unsigned int field = 1; field < VF_FIELD_END; field <<= 1)
		if ((want->fields & field) &&
		    (!(now->fields & field) || !field_equal(now, want, field)))
			diff |= field;
	return diff;
}

const char *vf_field_name(unsigned int field)
{
	static const char *const names[] = {
		"netns",     "name",	  "mac",	"mtu",	      "txqlen",
		"flags",     "alias",	  "altnames",	"group",      "pf mac",
		"vlan",	     "spoofchk",  "trust",	"link_state", "tx_rate",
		"node guid", "port guid", "rdma netns", "rdma name",  "driver",
	};

	for (unsigned int i = 0; i < array_size(names); i++)
		if (field == 1u << i)
			return names[i];
	return "?";
}

static const char *place_name(enum vf_place place)
{
	return place == VF_HOST ? "host" : place == VF_POD ? "pod" : "elsewhere";
}

static const char *link_state_name(uint8_t state)
{
	static const char *const names[] = { "auto", "enable", "disable" };

	return state < array_size(names) ? names[state] : "?";
}

static void format_altnames(const struct vf_state *s, char *buf, size_t size)
{
	size_t n = 0;

	for (unsigned int i = 0; i < s->altname_count && i < LINK_ALTNAMES && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, i ? ",%s" : "%s", s->altnames[i]);
}

static void format_rdma(const struct vf_state *s, unsigned int field, char *buf, size_t size)
{
	size_t n = 0;

	for (unsigned int i = 0; i < s->rdma_count && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, i ? ",%s" : "%s",
				      field == VF_RDMA_NAME ? s->rdma[i].name
							    : place_name(s->rdma[i].place));
}

static void format_flags(unsigned int flags, char *buf, size_t size)
{
	static const struct {
		unsigned int flag;
		const char *name;
	} names[] = {
		{ IFF_UP, "up" },
		{ IFF_PROMISC, "promisc" },
		{ IFF_ALLMULTI, "allmulti" },
		{ IFF_NOARP, "noarp" },
		{ IFF_MULTICAST, "multicast" },
		{ IFF_DYNAMIC, "dynamic" },
		{ IFF_DEBUG, "debug" },
	};
	size_t n = 0;

	for (unsigned int i = 0; i < array_size(names) && n < size; i++)
		if (flags & names[i].flag)
			n += (size_t)snprintf(buf + n, size - n, n ? ",%s" : "%s", names[i].name);
}

const char *vf_field_format(const struct vf_state *s, unsigned int field, char buf[VF_FIELD_TEXT])
{
	char mac[HWADDR_TEXT];
	size_t size = VF_FIELD_TEXT;

	buf[0] = '\0';
	if (!(s->fields & field))
		snprintf(buf, size, "unknown");
	else if (field == VF_NETNS)
		snprintf(buf, size, "%s", place_name(s->place));
	else if (field == VF_NAME)
		snprintf(buf, size, "%s", s->name);
	else if (field == VF_MAC)
		snprintf(buf, size, "%s", hwaddr_format(&s->mac, mac));
	else if (field == VF_MTU)
		snprintf(buf, size, "%u", s->mtu);
	else if (field == VF_TXQLEN)
		snprintf(buf, size, "%u", s->txqlen);
	else if (field == VF_FLAGS)
		format_flags(s->flags, buf, size);
	else if (field == VF_ALIAS)
		snprintf(buf, size, "%s", s->alias);
	else if (field == VF_ALTNAMES)
		format_altnames(s, buf, size);
	else if (field == VF_GROUP)
		snprintf(buf, size, "%u", s->group);
	else if (field == VF_PF_MAC)
		snprintf(buf, size, "%s", hwaddr_format(&s->pf.mac, mac));
	else if (field == VF_PF_VLAN)
		snprintf(buf, size, "%u qos %u%s", s->pf.vlan, s->pf.qos,
			 s->pf.vlan_proto == ETH_P_8021AD ? " 802.1ad" : "");
	else if (field == VF_PF_SPOOFCHK)
		snprintf(buf, size, "%s", s->pf.spoofchk ? "on" : "off");
	else if (field == VF_PF_TRUST)
		snprintf(buf, size, "%s", s->pf.trust ? "on" : "off");
	else if (field == VF_PF_LINK_STATE)
		snprintf(buf, size, "%s", link_state_name(s->pf.link_state));
	else if (field == VF_PF_RATE)
		snprintf(buf, size, "%u to %u Mbit/s", s->pf.min_rate, s->pf.max_rate);
	else if (field == VF_PF_NODE_GUID)
		guid_format(s->pf.node_guid, buf);
	else if (field == VF_PF_PORT_GUID)
		guid_format(s->pf.port_guid, buf);
	else if (field & VF_RDMA)
		format_rdma(s, field, buf, size);
	else if (field == VF_DRIVER)
		snprintf(buf, size, "%s", s->driver);
	if (!buf[0])
		snprintf(buf, size, "none");
	return buf;
}

const char *vf_diff_format(const struct vf_state *now, const struct vf_state *want,
			   unsigned int fields, char *buf, size_t size)
{
	char is[VF_FIELD_TEXT], should[VF_FIELD_TEXT];
	size_t n = 0;

	buf[0] = '\0';
	for (unsigned int field = 1; field < VF_FIELD_END && n < size; field <<= 1)
		if (fields & field)
			n += (size_t)snprintf(buf + n, size - n, "%s%s is %s, not %s",
					      n ? "; " : "", vf_field_name(field),
					      vf_field_format(now, field, is),
					      vf_field_format(want, field, should));
	return buf;
}
