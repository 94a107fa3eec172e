/* SPDX-License-Identifier: Apache-2.0 */
/* Network interfaces by rtnetlink: what they are, and one message that changes several things. */
#pragma once

#include "base/inet.h"
#include "kernel/netlink.h"

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#define LINK_ALTNAME_MAX 128 /* ALTIFNAMSIZ of the kernel */
#define LINK_ALTNAMES	 16 /* as many are reported; a link can have more */

struct link {
	int ifindex;
	char name[IFNAMSIZ];
	struct hwaddr mac;
	uint32_t mtu, max_mtu; /* max_mtu 0 = unknown */
	uint32_t txqlen;
	uint32_t group;
	unsigned int flags; /* IFF_* */
	bool carrier; /* up with a carrier, and its queue has noticed (IFF_RUNNING): what is sent now leaves */
	char alias[256];
	char altnames[LINK_ALTNAMES][LINK_ALTNAME_MAX];
	unsigned int altname_count; /* all that there are, of which LINK_ALTNAMES are reported */
	char parent[32]; /* bus name of the parent device, "" = none; kernel ≥ 5.14 */
};

/**
 * link_get() - one link, by index or by name; never a dump
 * @ifindex: 0 = by @name
 * Return: 0, -ENODEV, or another negative errno of netlink_request().
 */
int link_get(struct netlink *nl, int ifindex, const char *name, struct link *ret);

/**
 * link_find_by_parent() - the link whose parent device has a bus name, e.g. "0000:14:00.1"
 *
 * Dumps the links of the namespace: for a pod's, which has few.
 * Return: 0, -ENODEV, or another negative errno.
 */
int link_find_by_parent(struct netlink *nl, const char *parent, struct link *ret);

/* What to change; a zero or NULL leaves a thing as it is. */
struct link_change {
	int netns; /* descriptor of the namespace to move to, -1 = stay */
	const char *name;
	const struct hwaddr *mac;
	uint32_t mtu;
	unsigned int flags, flag_mask; /* IFF_*: those in the mask are set as in flags */
	const char *alias; /* "" removes it */
	bool set_txqlen;
	uint32_t txqlen;
	bool set_group;
	uint32_t group;
};

/**
 * link_set() - change a link by one message
 *
 * The kernel applies move, address, MTU, name, flags in that order (net/core/rtnetlink.c, do_setlink) and
 * takes nothing back on an error: look afterwards, in the new namespace too.
 */
int link_set(struct netlink *nl, int ifindex, const struct link_change *change);

/** link_altname_add(), link_altname_del() - alternative names, kernel ≥ 5.5 */
int link_altname_add(struct netlink *nl, int ifindex, const char *altname);
int link_altname_del(struct netlink *nl, int ifindex, const char *altname);
