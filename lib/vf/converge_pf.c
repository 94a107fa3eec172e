/* SPDX-License-Identifier: Apache-2.0 */
/* What a PF grants: VLAN, spoof check, trust, link state, rates, MAC. */
#include "base/cleanup.h"
#include "kernel/sysfs.h"
#include "vf/step.h"

#include <errno.h>

#define PF_LOCK_MS \
	10000 /* its requests take milliseconds each, and at most 256 VFs wait for each other */

int step_send_pf(struct converge *c, const struct vfinfo *info, unsigned int fields, struct err *e)
{
	auto_close int lock = sysfs_pci_lock(c->site->sysfs, c->vf->pf_bdf, PF_LOCK_MS, e);

	if (lock < 0)
		return lock;
	c->fresh &= ~(unsigned int)VF_PF;
	if (fields & VF_PF_MAC) /* which some drivers take to the VF */
		c->fresh &= ~(unsigned int)VF_LINK;
	return vfinfo_set(&c->site->host, c->vf->pf_ifindex, c->vf->index, info,
			  fields >> VF_PF_SHIFT);
}

static int set_pf_singly(struct converge *c, unsigned int fields, struct err *e)
{
	struct err first = { 0 }, err;
	char value[VF_FIELD_TEXT];
	int r;

	for (unsigned int field = VF_PF_MAC; field & VF_PF; field <<= 1) {
		if (!(fields & field))
			continue;
		r = step_send_pf(c, &c->want->pf, field, &err);
		if (!r)
			continue;
		if (r != -ETIMEDOUT)
			netlink_err(&c->site->host, &err, r, "PF %s: set %s of VF %u to %s",
				    c->vf->pf_name, vf_field_name(field), c->vf->index,
				    vf_field_format(c->want, field, value));
		err_keep_first(&first, &err);
		if (!step_goes_on(c))
			break;
	}
	return err_return(&first, e);
}

static int set_pf(struct converge *c, unsigned int fields, struct err *e)
{
	if (!fields)
		return 0;
	if (!step_send_pf(c, &c->want->pf, fields, e))
		return 0;
	return set_pf_singly(c, fields, e);
}

/* The kernel tells of one VF by telling of all: so the way back asks once, when it has come so far. */
static int know_pf(struct converge *c, struct err *e)
{
	int r = c->now->fields & VF_PF ? 0 : step_observe(c, VF_PF, e);

	c->diff = vf_diff(c->now, c->want);
	return r;
}

int step_pf_settings(struct converge *c, struct err *e)
{
	/* the GUIDs are step_guids()'s */
	const unsigned int settings = VF_PF & ~(unsigned int)(VF_PF_MAC | VF_PF_GUIDS);
	int r = c->diff & settings ? know_pf(c, e) : 0;

	return r ? r : set_pf(c, c->diff & settings, e);
}

int step_pf_mac(struct converge *c, struct err *e)
{
	int r;

	if (c->want->fields &
	    VF_PF_MAC) { /* setting the interface's may have changed the PF's, too */
		r = step_observe(c, VF_PF, e);
		if (r)
			return r;
	}
	return set_pf(c, vf_diff(c->now, c->want) & VF_PF_MAC, e);
}
