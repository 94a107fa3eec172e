/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory of operation. The order of the steps is what makes an attach safe:
 *
 * In:  the PF's settings first, so that the pod never sees traffic outside its VLAN; then the RDMA device,
 *      while the interface is down and there are few GIDs to move; then the interface, by one message that
 *      moves, names and sets it; then the PF's MAC; flags (up) last.
 * Out: the RDMA device, the interface (which the move takes down), and only then the PF's settings.
 *
 * The MAC needs care (igb): once the PF has set a VF's MAC, the VF may not change its own any more, not even
 * to the same value, and a VF that is bound to its driver keeps its old one. So the interface's comes first,
 * the PF's second; and when the interface's is refused, a zero one from the PF takes the ban away.
 */
#include "vf/converge.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "kernel/netns.h"
#include "kernel/sysfs_rdma.h"
#include "vf/observe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PF_LOCK_MS \
	10000 /* a PF's requests take milliseconds each, at most 256 VFs wait for each other */
#define RDMA_LOCK_MS 20000
#define BUSY_MS	     3000 /* a PF with many pods can say EBUSY for a while */
#define SETTLE_MS    2000 /* until a driver has done what it has accepted */
#define HOME_MS	     3000 /* until a dying namespace has sent its devices home: seen to take 0.5 s */
#define POLL_MS	     10

struct converge {
	struct vf_site *site;
	const struct vf *vf;
	struct vf_state *now;
	const struct vf_state *want;
	unsigned int diff; /* fields that differed when the step began */
	enum vf_converge_mode mode;
};

static bool is_restoring(const struct converge *c)
{
	return c->mode == VF_RESTORE;
}

static struct netlink *link_socket(const struct converge *c)
{
	return c->now->place == VF_POD ? &c->site->pod : &c->site->host;
}

/* One link message, asked again while the driver is busy. */
static int send_link(struct converge *c, const struct link_change *change)
{
	uint64_t deadline = clock_ms() + BUSY_MS;
	int r;

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
	if (fields & VF_FLAGS) {
		change.flags = want->flags;
		change.flag_mask = VF_FLAGS_MASK;
	}
	return send_link(c, &change);
}

static int send_pf_fields(struct converge *c, const struct vfinfo *info, unsigned int fields,
			  struct err *e)
{
	auto_close int lock = sysfs_pci_lock(c->site->sysfs, c->vf->pf_bdf, PF_LOCK_MS, e);

	if (lock < 0)
		return lock;
	return vfinfo_set(&c->site->host, c->vf->pf_ifindex, c->vf->index, info,
			  fields >> VF_PF_SHIFT);
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
	int r, ret = 0;

	for (unsigned int field = 1; field <= VF_LINK; field <<= 1) {
		if (!(fields & field))
			continue;
		r = send_link_fields(c, field);
		if (!r && field == VF_NETNS)
			r = vf_observe(c->site, c->vf, VF_LINK, c->now, &err);
		if (!r)
			continue;
		link_error(c, &err, r, field);
		err_keep_first(&first, &err);
		ret = ret ? ret : r;
		if (!is_restoring(c) || field == VF_NETNS)
			break;
	}
	if (ret)
		*e = first;
	return ret;
}

static int set_pf_singly(struct converge *c, unsigned int fields, struct err *e)
{
	struct err first = { 0 }, err;
	char value[VF_FIELD_TEXT];
	int r, ret = 0;

	for (unsigned int field = VF_PF_MAC; field & VF_PF; field <<= 1) {
		if (!(fields & field))
			continue;
		r = send_pf_fields(c, &c->want->pf, field, &err);
		if (!r)
			continue;
		if (r != -ETIMEDOUT)
			netlink_err(&c->site->host, &err, r, "PF %s: set %s of VF %u to %s",
				    c->vf->pf_name, vf_field_name(field), c->vf->index,
				    vf_field_format(c->want, field, value));
		err_keep_first(&first, &err);
		ret = ret ? ret : r;
		if (!is_restoring(c))
			break;
	}
	if (ret)
		*e = first;
	return ret;
}

static int set_pf(struct converge *c, unsigned int fields, struct err *e)
{
	if (!fields)
		return 0;
	if (!send_pf_fields(c, &c->want->pf, fields, e))
		return 0;
	return set_pf_singly(c, fields, e);
}

static int step_pf_settings(struct converge *c, struct err *e)
{
	return set_pf(c, c->diff & VF_PF & ~(unsigned int)VF_PF_MAC, e);
}

static int step_pf_mac(struct converge *c, struct err *e)
{
	int r;

	if (c->want->fields &
	    VF_PF_MAC) { /* setting the interface's may have changed the PF's, too */
		r = vf_observe(c->site, c->vf, VF_PF, c->now, e);
		if (r)
			return r;
	}
	return set_pf(c, vf_diff(c->now, c->want) & VF_PF_MAC, e);
}

/* Drivers say it differently: igbvf EADDRNOTAVAIL, iavf and others EPERM. */
static bool is_mac_ban(int r)
{
	return r == -EADDRNOTAVAIL || r == -EPERM || r == -EACCES;
}

static int lift_mac_ban(struct converge *c, struct err *e)
{
	struct vfinfo zero = { .mac.len = c->want->mac.len };
	int r = send_pf_fields(c, &zero, VF_PF_MAC, e);

	return r ? r : vf_observe(c->site, c->vf, VF_LINK | VF_PF, c->now, e);
}

static int step_link(struct converge *c, struct err *e)
{
	const unsigned int at_once = VF_NETNS | VF_NAME | VF_MAC | VF_MTU | VF_TXQLEN | VF_ALIAS;
	struct err observed;
	int r;

	if (!(c->diff & at_once))
		return 0;
	if (!c->now->ifindex)
		return err_set(e, CNI_ERR_KERNEL, ENODEV,
			       "VF %s has no network interface in a namespace that can be reached",
			       c->vf->bdf);
	r = send_link_fields(c, c->diff & at_once);
	/* nothing is taken back by the kernel: see how far it came */
	if (vf_observe(c->site, c->vf, VF_LINK, c->now, &observed)) {
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
		r = vf_observe(c->site, c->vf, VF_LINK, c->now, e);
		if (r)
			return r;
	} while (before > LINK_ALTNAMES && c->now->altname_count < before);
	return 0;
}

static int step_altnames(struct converge *c, struct err *e)
{
	int r;

	if (!(c->diff & VF_ALTNAMES) || !c->now->ifindex)
		return 0;
	r = del_altnames(c, e);
	for (unsigned int i = 0; !r && i < c->want->altname_count && i < LINK_ALTNAMES; i++)
		if (!vf_has_altname(c->now, c->want->altnames[i])) {
			r = link_altname_add(link_socket(c), c->now->ifindex, c->want->altnames[i]);
			if (r)
				return altname_error(c, e, r, "add", c->want->altnames[i]);
		}
	return r;
}

static int step_flags(struct converge *c, struct err *e)
{
	int r;

	if (!(c->diff & VF_FLAGS) || !c->now->ifindex)
		return 0;
	r = send_link_fields(c, VF_FLAGS);
	return r ? link_error(c, e, r, VF_FLAGS) : 0;
}

/*
 * The kernel moves an RDMA device out of the namespace of the calling thread only, and wants the socket to be
 * of the same one (nldev_set_doit, ib_device_set_netns_put).
 */
static int move_rdma(struct converge *c, const struct vf_rdma *from, enum vf_place to,
		     struct err *e)
{
	bool in_pod = from->place == VF_POD;
	struct rdma_dev dev;
	struct netlink *nl;
	struct err back;
	int r;

	r = vf_site_rdma(c->site, in_pod, &nl, e);
	if (r)
		return r;
	r = rdma_dev_find(nl, from->name, &dev);
	if (!r && in_pod && netns_enter(c->site->pod_ns, e))
		return -e->sys;
	if (!r)
		r = rdma_dev_move(nl, dev.index, to == VF_POD ? c->site->pod_ns : c->site->host_ns);
	if (in_pod && netns_enter(c->site->host_ns, &back)) {
		*e = back;
		return -back.sys;
	}
	if (!r)
		return 0;
	netlink_err(nl, e, r, "VF %s: move RDMA device %s to the %s's network namespace",
		    c->vf->bdf, from->name, to == VF_POD ? "pod" : "host");
	if (r == -EOPNOTSUPP)
		err_details(
			e,
			"its driver cannot move devices between namespaces (rdma_rxe and siw cannot); "
			"with \"rdma\": {\"netnsMode\": \"shared\"} it stays where it is");
	return r;
}

static int step_rdma_netns(struct converge *c, struct err *e)
{
	struct err first = { 0 }, err;
	auto_close int lock = -1;
	int r, ret = 0;

	if (!(c->diff & VF_RDMA_NETNS))
		return 0;
	lock = sysfs_rdma_lock(c->site->sysfs, RDMA_LOCK_MS, e);
	if (lock < 0)
		return lock;
	for (unsigned int i = 0; i < c->now->rdma_count && i < c->want->rdma_count; i++) {
		if (c->now->rdma[i].place == c->want->rdma[i].place)
			continue;
		r = move_rdma(c, &c->now->rdma[i], c->want->rdma[i].place, &err);
		if (!r)
			continue;
		err_keep_first(&first, &err);
		ret = ret ? ret : r;
		if (!is_restoring(c))
			break;
	}
	if (ret)
		*e = first;
	return ret;
}

static int rename_rdma(struct converge *c, const struct vf_rdma *now, const char *name,
		       struct err *e)
{
	struct rdma_dev dev;
	struct netlink *nl;
	int r = vf_site_rdma(c->site, now->place == VF_POD, &nl, e);

	if (r)
		return r;
	r = rdma_dev_find(nl, now->name, &dev);
	if (!r)
		r = rdma_dev_rename(nl, dev.index, name);
	return r ? netlink_err(nl, e, r, "VF %s: rename RDMA device %s to %s", c->vf->bdf,
			       now->name, name)
		 : 0;
}

static int step_rdma_names(struct converge *c, struct err *e)
{
	struct err first = { 0 }, err;
	int r, ret = 0;

	if (!(c->want->fields & VF_RDMA_NAME))
		return 0;
	r = vf_observe(c->site, c->vf, VF_RDMA, c->now, e); /* a move may have renamed it */
	if (r || !(vf_diff(c->now, c->want) & VF_RDMA_NAME))
		return r;
	for (unsigned int i = 0; i < c->now->rdma_count && i < c->want->rdma_count; i++) {
		if (!strcmp(c->now->rdma[i].name, c->want->rdma[i].name))
			continue;
		r = rename_rdma(c, &c->now->rdma[i], c->want->rdma[i].name, &err);
		if (r) {
			err_keep_first(&first, &err);
			ret = ret ? ret : r;
		}
	}
	if (ret)
		*e = first;
	return ret;
}

typedef int step_fn(struct converge *c, struct err *e);

static step_fn *const steps_in[] = { step_pf_settings, step_rdma_netns, step_link,
				     step_pf_mac,      step_flags,	NULL };
static step_fn *const steps_out[] = { step_rdma_netns,	step_link,     step_pf_mac,
				      step_pf_settings, step_altnames, step_flags,
				      step_rdma_names,	NULL };

static int take_steps(struct converge *c, struct err *e)
{
	step_fn *const *step = c->want->place == VF_POD ? steps_in : steps_out;
	struct err first = { 0 }, err;
	int r, ret = 0;

	for (; *step; step++) {
		c->diff = vf_diff(c->now, c->want);
		r = (*step)(c, &err);
		if (!r)
			continue;
		err_keep_first(&first, &err);
		ret = ret ? ret : r;
		if (!is_restoring(c))
			break;
	}
	if (ret)
		*e = first;
	return ret;
}

/* A PF's driver may take a setting and not report it: then there is nothing to compare. */
static unsigned int verifiable(const struct vf_state *now)
{
	return ~(unsigned int)VF_PF | now->fields;
}

static unsigned int parts_of(unsigned int fields)
{
	return (fields & VF_LINK ? VF_LINK : 0) | (fields & VF_PF ? VF_PF : 0) |
	       (fields & VF_RDMA ? VF_RDMA : 0);
}

static int verify(struct converge *c, unsigned int touched, struct err *e)
{
	uint64_t deadline = clock_ms() + SETTLE_MS;
	unsigned int diff;
	char text[512];
	int r;

	for (;;) {
		r = vf_observe(c->site, c->vf, parts_of(touched), c->now, e);
		if (r)
			return r;
		diff = vf_diff(c->now, c->want) & verifiable(c->now);
		if (!diff)
			return 0;
		if (clock_ms() >= deadline)
			return err_set(e, CNI_ERR_KERNEL, ETIMEDOUT, "VF %s: after it was set, %s",
				       c->vf->bdf,
				       vf_diff_format(c->now, c->want, diff, text, sizeof(text)));
		clock_pause(POLL_MS);
	}
}

static bool is_elsewhere(const struct vf_state *s)
{
	bool elsewhere = (s->fields & VF_NETNS) && s->place == VF_ELSEWHERE;

	for (unsigned int i = 0; i < s->rdma_count; i++)
		elsewhere |= s->rdma[i].place == VF_ELSEWHERE;
	return elsewhere;
}

int vf_await_home(struct vf_site *site, const struct vf *vf, struct vf_state *now, struct err *e)
{
	uint64_t deadline = clock_ms() + HOME_MS;
	int r = 0;

	while (!r && is_elsewhere(now) && clock_ms() < deadline) {
		clock_pause(POLL_MS);
		r = vf_observe(site, vf, VF_LINK | VF_RDMA, now, e);
	}
	return r;
}

int vf_converge(struct vf_site *site, const struct vf *vf, struct vf_state *now,
		const struct vf_state *want, enum vf_converge_mode mode, struct err *e)
{
	struct converge c = { .site = site, .vf = vf, .now = now, .want = want, .mode = mode };
	unsigned int touched;
	struct err err;
	int r;

	touched = vf_diff(now, want);
	if (!touched)
		return 0;
	r = take_steps(&c, e);
	if (!r)
		return verify(&c, touched, e);
	if (vf_observe(site, vf, VF_LINK | VF_PF | VF_RDMA, now,
		       &err)) /* the first error is told */
		now->fields = 0;
	return r;
}
