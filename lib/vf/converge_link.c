/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The VF's network interface.
 *
 * Its MAC needs care (igb): once the PF has set a VF's MAC, the VF may not change its own any more, not even to the
 * same value, and a VF that is bound to its driver keeps its old one. So the interface's comes first, the PF's second
 * (step_pf_mac); and when the interface's is refused, a zero one from the PF takes the ban away.
 */
#include "base/clock.h"
#include "vf/step.h"

#include <errno.h>

#define BUSY_MS 3000 /* a PF with many pods can say EBUSY for a while */
#define POLL_MS 10

static struct netlink *link_socket(const struct converge *c)
{
	return c->now->place == VF_POD ? &c->site->pod : &c->site->host;
}

/* One link message, asked again while the driver is busy. */
static int send_link(struct converge *c, const struct link_change *change)
{
	uint64_t deadline = clock_ms() + BUSY_MS;
	int r;

	c->fresh &= ~(unsigned int)(VF_LINK | VF_PF); /* a VF asks its PF for a MAC */
	for (;;) {
		r = link_set(link_socket(c), c->now->ifindex, change);
		if ((r != -EBUSY && r != -EAGAIN) || clock_ms() >= deadline)
			return r;
		clock_pause(POLL_MS);
	}
}

static int send_link_fields(struct converge *c, unsigned int fields)
{
	const struct vf_state *want = c->want;
	struct link_change change = { .netns = -1 };

	if (fields & VF_NETNS)
		change.netns = want->place == VF_POD ? c->site->pod_ns : c->site->host_ns;
	if (fields & VF_NAME)
		change.name = want->name;
	if (fields & VF_MAC)
		change.mac = &want->mac;
	if (fields & VF_MTU)
		change.mtu = want->mtu;
	if (fields & VF_ALIAS)
		change.alias = want->alias;
	if (fields & VF_TXQLEN) {
		change.set_txqlen = true;
		change.txqlen = want->txqlen;
	}
	if (fields & VF_GROUP) {
		change.set_group = true;
		change.group = want->group;
	}
	if (fields & VF_FLAGS) {
		change.flags = want->flags;
		change.flag_mask = VF_FLAGS_MASK;
	}
	return send_link(c, &change);
}

static int link_error(struct converge *c, struct err *e, int r, unsigned int field)
{
	char value[VF_FIELD_TEXT];

	netlink_err(link_socket(c), e, r, "VF %s (%s): set %s to %s", c->vf->bdf, c->now->name,
		    vf_field_name(field), vf_field_format(c->want, field, value));
	if (r == -EEXIST && field == VF_NAME)
		err_details(e, "another interface has that name or alternative name there");
	return r;
}

/* One by one, to tell which it was, and, on the way back, to get as far as possible. */
static int set_link_singly(struct converge *c, unsigned int fields, struct err *e)
{
	struct err first = { 0 }, err;
	int r;

	for (unsigned int field = 1; field <= VF_LINK; field <<= 1) {
		if (!(fields & field))
			continue;
		r = send_link_fields(c, field);
		if (!r && field == VF_NETNS)
			r = step_observe(c, VF_LINK, &err);
		if (!r)
			continue;
		link_error(c, &err, r, field);
		err_keep_first(&first, &err);
		if (!step_goes_on(c) || field == VF_NETNS)
			break;
	}
	return err_return(&first, e);
}

/* Drivers say it differently: igbvf EADDRNOTAVAIL, iavf and others EPERM. */
static bool is_mac_ban(int r)
{
	return r == -EADDRNOTAVAIL || r == -EPERM || r == -EACCES;
}

static int lift_mac_ban(struct converge *c, struct err *e)
{
	struct vfinfo zero = { .mac.len = c->want->mac.len };
	int r = step_send_pf(c, &zero, VF_PF_MAC, e);

	return r ? r : step_observe(c, VF_LINK | VF_PF, e);
}

int step_link(struct converge *c, struct err *e)
{
	const unsigned int at_once =
		VF_NETNS | VF_NAME | VF_MAC | VF_MTU | VF_TXQLEN | VF_ALIAS | VF_GROUP;
	struct err observed;
	int r;

	if (!(c->diff & at_once))
		return 0;
	if (!c->now->ifindex)
		return err_set(e, CNI_ERR_KERNEL, ENODEV,
			       "VF %s has no network interface in a namespace that can be reached",
			       c->vf->bdf);
	r = send_link_fields(c, c->diff & at_once);
	if (!r && (c->diff & VF_NETNS))
		c->now->place = c->want->place; /* where to look first */
	/* nothing is taken back by the kernel: see how far it came */
	if (step_observe(c, VF_LINK, &observed)) {
		*e = observed;
		return -observed.sys;
	}
	if (is_mac_ban(r) && (vf_diff(c->now, c->want) & VF_MAC))
		r = lift_mac_ban(c, e);
	if (!r && !(vf_diff(c->now, c->want) & at_once))
		return 0;
	return set_link_singly(c, vf_diff(c->now, c->want) & at_once, e);
}

static int altname_error(struct converge *c, struct err *e, int r, const char *what,
			 const char *name)
{
	return netlink_err(link_socket(c), e, r, "VF %s (%s): %s alternative name %s", c->vf->bdf,
			   c->now->name, what, name);
}

/* Take away what a pod added. A link reports up to LINK_ALTNAMES at a time, so it may take several rounds. */
static int del_altnames(struct converge *c, struct err *e)
{
	unsigned int before;
	int r;

	do {
		before = c->now->altname_count;
		for (unsigned int i = 0; i < before && i < LINK_ALTNAMES; i++) {
			const char *name = c->now->altnames[i];

			if (vf_has_altname(c->want, name))
				continue;
			r = link_altname_del(link_socket(c), c->now->ifindex, name);
			if (r)
				return altname_error(c, e, r, "remove", name);
		}
		r = step_observe(c, VF_LINK, e);
		if (r)
			return r;
	} while (before > LINK_ALTNAMES && c->now->altname_count < before);
	return 0;
}

int step_altnames(struct converge *c, struct err *e)
{
	int r;

	if (!(c->diff & VF_ALTNAMES) || !c->now->ifindex)
		return 0;
	r = del_altnames(c, e);
	c->fresh &= ~(unsigned int)VF_LINK;
	for (unsigned int i = 0; !r && i < c->want->altname_count && i < LINK_ALTNAMES; i++)
		if (!vf_has_altname(c->now, c->want->altnames[i])) {
			r = link_altname_add(link_socket(c), c->now->ifindex, c->want->altnames[i]);
			if (r)
				return altname_error(c, e, r, "add", c->want->altnames[i]);
		}
	return r;
}

int step_flags(struct converge *c, struct err *e)
{
	int r;

	if (!(c->diff & VF_FLAGS) || !c->now->ifindex)
		return 0;
	r = send_link_fields(c, VF_FLAGS);
	return r ? link_error(c, e, r, VF_FLAGS) : 0;
}
