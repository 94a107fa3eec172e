/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a VF: everything that an attachment may change about it.
 *
 * Theory of operation. An attachment is two states: the one before, and the one wanted. ADD converges the
 * VF to the wanted one; DEL, a failed ADD, GC and repair converge it to the one before; CHECK asks in which
 * fields it differs from the wanted one. vf_observe() reads a state, vf_diff() names the fields in which two
 * differ, vf_converge() changes those and no others. Nothing else touches the kernel for a VF, so the verbs
 * cannot drift apart, and each can be asked again after an interruption anywhere.
 */
#pragma once

#include "base/inet.h"
#include "kernel/link.h"
#include "kernel/rdma.h"
#include "kernel/sysfs.h"
#include "kernel/vfinfo.h"

#include <stdint.h>

/* The fields of a state, as a set of bits. */
enum vf_field {
	/* the network interface; none of them for a VF without one (vfio) */
	VF_NETNS = 1 << 0,
	VF_NAME = 1 << 1,
	VF_MAC = 1 << 2,
	VF_MTU = 1 << 3,
	VF_TXQLEN = 1 << 4,
	VF_FLAGS = 1 << 5,
	VF_ALIAS = 1 << 6,
	VF_ALTNAMES = 1 << 7,
	VF_GROUP = 1 << 8,
	VF_LINK = (1 << 9) - 1, /* all of the above */
	/* the PF's view: VFINFO_* from bit 9 on */
	VF_PF_SHIFT = 9,
	VF_PF_MAC = VFINFO_MAC << VF_PF_SHIFT,
	VF_PF_VLAN = VFINFO_VLAN << VF_PF_SHIFT,
	VF_PF_SPOOFCHK = VFINFO_SPOOFCHK << VF_PF_SHIFT,
	VF_PF_TRUST = VFINFO_TRUST << VF_PF_SHIFT,
	VF_PF_LINK_STATE = VFINFO_LINK_STATE << VF_PF_SHIFT,
	VF_PF_RATE = VFINFO_RATE << VF_PF_SHIFT,
	VF_PF_NODE_GUID = VFINFO_NODE_GUID << VF_PF_SHIFT,
	VF_PF_PORT_GUID = VFINFO_PORT_GUID << VF_PF_SHIFT,
	VF_PF_GUIDS = VF_PF_NODE_GUID | VF_PF_PORT_GUID,
	VF_PF = 0xff << VF_PF_SHIFT, /* all of the PF's view */
	/* the RDMA devices */
	VF_RDMA_NETNS = 1 << 17,
	VF_RDMA_NAME = 1 << 18,
	VF_RDMA = VF_RDMA_NETNS | VF_RDMA_NAME,
	VF_DRIVER =
		1
		<< 19, /* counts only where it is to be unbound and bound again: see converge_ib.c */
	VF_FIELD_END = 1 << 20,
};

/* Where a device is. */
enum vf_place {
	VF_HOST, /* this program's namespace */
	VF_POD, /* the attachment's namespace */
	VF_ELSEWHERE, /* neither: in one that is being dismantled, or that somebody else moved it to */
};

/* The flags that root in a pod can change, and that stay on the interface when it leaves. */
#define VF_FLAGS_MASK \
	(IFF_UP | IFF_PROMISC | IFF_ALLMULTI | IFF_NOARP | IFF_MULTICAST | IFF_DYNAMIC | IFF_DEBUG)

#define VF_RDMA_DEVS 4

struct vf_rdma {
	uint32_t
		id; /* the kernel's index and 1; 0 = not known. It stays with the device, and orders those of a VF */
	uint64_t guid; /* of the node, 0 = not known */
	char parent
		[RDMA_NAME_MAX]; /* the VF's auxiliary device that it belongs to, "" = the VF itself */
	char name[RDMA_NAME_MAX];
	enum vf_place place;
	int uverbs; /* N of uverbsN; told, and not converged: the kernel chooses it */
};

struct vf_state {
	unsigned int fields; /* those that are known, or wanted */
	int ifindex; /* 0 = none; of the namespace that @place says; valid while observed */
	enum vf_place place;
	char name[IFNAMSIZ];
	struct hwaddr mac;
	uint32_t mtu;
	uint32_t txqlen;
	unsigned int flags; /* within VF_FLAGS_MASK */
	bool carrier; /* told, not converged */
	char alias[256];
	uint32_t group; /* a number by which administrators address several links at once */
	unsigned int altname_count; /* may be above LINK_ALTNAMES when a pod added many */
	char altnames[LINK_ALTNAMES][LINK_ALTNAME_MAX];
	struct vfinfo pf;
	unsigned int rdma_count;
	struct vf_rdma rdma[VF_RDMA_DEVS];
	char driver[SYSFS_NAME_MAX]; /* "" = none is bound */
};

/**
 * vf_diff() - in which of the fields that @want has do two states differ?
 * Return: a set of enum vf_field. A field that @now does not have differs.
 */
unsigned int vf_diff(const struct vf_state *now, const struct vf_state *want);

/**
 * vf_settable_guid() - what to set on a PF to bring back one of a state's GUIDs
 * @guid: as the PF shows it; 0 = it has never been set, and cannot be set to that
 *
 * Return: @guid; instead of 0 the GUID that the interface has all the same, else all ones, as in ib-sriov-cni. A PF
 * that shows it instead of 0 does not differ.
 */
uint64_t vf_settable_guid(const struct vf_state *s, uint64_t guid);

/**
 * vf_align_rdma() - put a state's RDMA devices in the order in which another one has the same ones
 * @want: devices that @now does not have are left out; what it has besides is wanted as it is, in the host
 *
 * Names do not tell which is which: a pod can change them, and so can the kernel when it brings devices home. The
 * kernel's index does, while the device lives; after its driver has made it anew, parent and GUID, or the order do.
 */
void vf_align_rdma(struct vf_state *want, const struct vf_state *now);

/** vf_has_altname() - does a state have an alternative name? */
bool vf_has_altname(const struct vf_state *s, const char *altname);

#define VF_FIELD_TEXT 300

/** vf_field_name() - name of one field, as CHECK and its users call it: "mtu", "vlan" */
const char *vf_field_name(unsigned int field);

/** vf_field_format() - the value of one field of a state as text; returns @buf */
const char *vf_field_format(const struct vf_state *s, unsigned int field, char buf[VF_FIELD_TEXT]);

/** vf_diff_format() - "mtu is 1500, not 4500; vlan is 0, not 100" for a set of fields; returns @buf */
const char *vf_diff_format(const struct vf_state *now, const struct vf_state *want,
			   unsigned int fields, char *buf, size_t size);
