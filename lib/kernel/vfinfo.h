/* SPDX-License-Identifier: Apache-2.0 */
/* A VF as its PF sees it: IFLA_VFINFO_LIST of the PF's link. */
#pragma once

#include "base/inet.h"
#include "kernel/netlink.h"

#include <stdint.h>

/* Which of its members a struct vfinfo holds, or which are to be set. */
enum vfinfo_field {
	VFINFO_MAC = 1 << 0,
	VFINFO_VLAN = 1 << 1, /* id, QoS and protocol together: the kernel sets them as one */
	VFINFO_SPOOFCHK = 1 << 2,
	VFINFO_TRUST = 1 << 3,
	VFINFO_LINK_STATE = 1 << 4,
	VFINFO_RATE = 1 << 5, /* both rates together, likewise */
	VFINFO_NODE_GUID = 1 << 6,
	VFINFO_PORT_GUID = 1 << 7,
};

struct vfinfo {
	unsigned int has; /* VFINFO_*: drivers leave out what they do not know */
	struct hwaddr mac;
	uint16_t vlan; /* 0 = none */
	uint8_t qos; /* IEEE 802.1Q priority, 0 to 7 */
	uint16_t vlan_proto; /* host byte order: ETH_P_8021Q or ETH_P_8021AD */
	bool spoofchk;
	bool trust;
	uint8_t link_state; /* IFLA_VF_LINK_STATE_AUTO, _ENABLE, _DISABLE */
	uint32_t min_rate, max_rate; /* Mbit/s, 0 = no limit */
	uint64_t node_guid, port_guid;
};

/**
 * vfinfo_get() - ask the PF's link for its VFs, and pick one
 * Return: 0, -ENODEV when the PF has no such VF, or another negative errno.
 */
int vfinfo_get(struct netlink *nl, int pf_ifindex, uint32_t vf, struct vfinfo *ret);

/**
 * vfinfo_set() - set members of a VF by one message
 * @fields: VFINFO_*
 *
 * The kernel applies them one after another and stops at the first that the driver refuses
 * (net/core/rtnetlink.c, do_setvfinfo).
 */
int vfinfo_set(struct netlink *nl, int pf_ifindex, uint32_t vf, const struct vfinfo *info,
	       unsigned int fields);
