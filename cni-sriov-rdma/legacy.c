/* SPDX-License-Identifier: Apache-2.0 */
#include "legacy.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <string.h>

void legacy_done(struct legacy *l)
{
	json_decref(l->root);
	*l = (struct legacy){ 0 };
}

static int bad(struct err *e, const char *key)
{
	err_set(e, CNI_ERR_IO, EBADMSG, "the state of the plugin before has a bad %s", key);
	return -EBADMSG;
}

/* A string; "" when it is absent or null. */
static int get_text(json_t *o, const char *key, const char **ret, struct err *e)
{
	json_t *v = json_object_get(o, key);

	*ret = "";
	if (!v || json_is_null(v))
		return 0;
	if (!json_is_string(v))
		return bad(e, key);
	*ret = json_string_value(v);
	return 0;
}

/* A number; 0 when it is absent or null. */
static int get_number(json_t *o, const char *key, uint32_t max, uint32_t *ret, struct err *e)
{
	json_t *v = json_object_get(o, key);

	*ret = 0;
	if (!v || json_is_null(v))
		return 0;
	if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > max)
		return bad(e, key);
	*ret = (uint32_t)json_integer_value(v);
	return 0;
}

/* They restore what their configuration had set, and leave the rest. */
static bool was_set(json_t *root, const char *key)
{
	json_t *v = json_object_get(root, key);

	return json_is_string(v) ? *json_string_value(v) : v && !json_is_null(v);
}

/* The host's name of the interface; absent for a VF that user space had. It went down when it was moved. */
static int read_link(json_t *o, const char *key, struct vf_state *s, struct err *e)
{
	const char *name;
	int r = get_text(o, key, &name, e);

	if (r || !*name)
		return r;
	if (!cni_ifname_is_valid(name))
		return bad(e, key);
	strcpy(s->name, name);
	s->flags = IFF_MULTICAST;
	s->fields |= VF_NETNS | VF_NAME | VF_FLAGS;
	return 0;
}

/* The interface's address, which root in the pod may have changed; and the PF's, if they changed it. */
static int read_macs(json_t *root, json_t *was, struct vf_state *s, struct err *e)
{
	const char *effective, *admin;
	int r = get_text(was, "EffectiveMAC", &effective, e);

	r = r ?: get_text(was, "AdminMAC", &admin, e);
	if (r)
		return r;
	if ((s->fields & VF_LINK) && *effective) {
		if (hwaddr_parse(effective, &s->mac) || !hwaddr_is_unicast_mac(&s->mac))
			return bad(e, "EffectiveMAC");
		s->fields |= VF_MAC;
	}
	if (was_set(root, "MAC") && *admin) {
		if (hwaddr_parse(admin, &s->pf.mac) || s->pf.mac.len != 6)
			return bad(e, "AdminMAC");
		s->fields |= VF_PF_MAC;
	}
	return 0;
}

static int read_vlan(json_t *root, json_t *was, struct vf_state *s, struct err *e)
{
	uint32_t vlan, qos, proto;
	int r = get_number(was, "Vlan", 4095, &vlan, e);

	r = r ?: get_number(was, "VlanQoS", 7, &qos, e);
	r = r ?: get_number(was, "VlanProto", UINT16_MAX, &proto, e);
	if (r || !was_set(root, "vlan"))
		return r;
	s->pf.vlan = (uint16_t)vlan;
	s->pf.qos = (uint8_t)qos;
	/* in the byte order of the network, or of the host, as the version was; older ones knew 802.1Q only */
	s->pf.vlan_proto = proto == ETH_P_8021AD || proto == __builtin_bswap16(ETH_P_8021AD)
				   ? ETH_P_8021AD
				   : ETH_P_8021Q;
	s->fields |= VF_PF_VLAN;
	return 0;
}

static int read_grants(json_t *root, json_t *was, struct vf_state *s, struct err *e)
{
	uint32_t state;
	int r = get_number(was, "MinTxRate", UINT32_MAX, &s->pf.min_rate, e);

	r = r ?: get_number(was, "MaxTxRate", UINT32_MAX, &s->pf.max_rate, e);
	r = r ?: get_number(was, "LinkState", IFLA_VF_LINK_STATE_DISABLE, &state, e);
	if (r)
		return r;
	s->pf.link_state = (uint8_t)state;
	s->pf.spoofchk = json_is_true(json_object_get(was, "SpoofChk"));
	s->pf.trust = json_is_true(json_object_get(was, "Trust")); /* older ones: always off */
	s->fields |=
		(was_set(root, "min_tx_rate") || was_set(root, "max_tx_rate") ? VF_PF_RATE : 0) |
		(was_set(root, "link_state") ? VF_PF_LINK_STATE : 0) |
		(was_set(root, "spoofchk") ? VF_PF_SPOOFCHK : 0) |
		(was_set(root, "trust") ? VF_PF_TRUST : 0);
	return 0;
}

static int read_sriov(json_t *root, struct vf_state *s, struct err *e)
{
	json_t *was = json_object_get(root, "OrigVfState");
	int r;

	if (!json_is_object(was))
		return bad(e, "OrigVfState");
	r = read_link(was, "HostIFName", s, e);
	r = r ?: read_macs(root, was, s, e);
	r = r ?: read_vlan(root, was, s, e);
	r = r ?: read_grants(root, was, s, e);
	r = r ?: get_number(was, "MTU", UINT16_MAX, &s->mtu, e);
	if (!r && s->mtu && (s->fields & VF_LINK))
		s->fields |= VF_MTU;
	return r;
}

/* RdmaNetState, of rdma-cni and within ib-sriov-cni's. */
static int read_rdma(json_t *o, struct vf_state *s, struct err *e)
{
	const char *name;
	int r = get_text(o, "sandboxRdmaDevName", &name, e);

	if (r || !*name)
		return r;
	if (strlen(name) >= sizeof(s->rdma[0].name) || strchr(name, '/'))
		return bad(e, "sandboxRdmaDevName");
	strcpy(s->rdma[0].name, name);
	s->rdma[0].uverbs = -1;
	s->rdma_count = 1; /* they refuse more */
	s->fields |= VF_RDMA;
	return 0;
}

/* Kept if they changed it. A GUID of zero cannot be set again: all ones is what they write then. */
static int read_guid(json_t *root, struct vf_state *s, struct err *e)
{
	struct hwaddr guid = { 0 };
	uint64_t value = 0;
	const char *text;
	int r = get_text(root, "HostIFGUID", &text, e);

	if (r || !*text)
		return r;
	if (hwaddr_parse(text, &guid) || guid.len != sizeof(value))
		return bad(e, "HostIFGUID");
	for (unsigned int i = 0; i < sizeof(value); i++)
		value = value << 8 | guid.bytes[i];
	s->pf.node_guid = s->pf.port_guid = value ?: UINT64_MAX;
	s->fields |= VF_PF_NODE_GUID | VF_PF_PORT_GUID;
	return 0;
}

static int read_ib_sriov(json_t *root, struct vf_state *s, struct err *e)
{
	int r = read_link(root, "HostIFNames", s, e);

	r = r ?: read_guid(root, s, e);
	if (!r && json_is_true(json_object_get(root, "rdmaIsolation")))
		r = read_rdma(json_object_get(root, "RdmaNetState"), s, e);
	if (!r && was_set(root, "link_state")) {
		s->pf.link_state = IFLA_VF_LINK_STATE_AUTO;
		s->fields |= VF_PF_LINK_STATE;
	}
	return r;
}

int legacy_parse(enum plugin_name name, json_t *root, struct legacy *ret, struct err *e)
{
	struct legacy l = { .root = root };
	const char *device;
	int r = get_text(root, "deviceID", &device, e);

	if (!r && pci_addr_parse(device, l.bdf))
		r = bad(e, "deviceID");
	if (!r)
		r = name == NAME_SRIOV	    ? read_sriov(root, &l.before, e)
		    : name == NAME_IB_SRIOV ? read_ib_sriov(root, &l.before, e)
					    : read_rdma(root, &l.before, e);
	if (r) {
		legacy_done(&l);
		return r;
	}
	*ret = l;
	return 0;
}
