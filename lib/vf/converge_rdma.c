/* SPDX-License-Identifier: Apache-2.0 */
/* The VF's RDMA devices. */
#include "base/cleanup.h"
#include "kernel/netns.h"
#include "kernel/sysfs_rdma.h"
#include "vf/step.h"

#include <errno.h>
#include <string.h>

/* Most often it is known; an index stays with its device through moves and renames. */
static int index_of(struct netlink *nl, const struct vf_rdma *rdma, uint32_t *ret)
{
	struct rdma_dev dev = { .index = rdma->id - 1 };
	int r = rdma->id ? 0 : rdma_dev_find(nl, rdma->name, -1, &dev);

	*ret = dev.index;
	return r;
}

/*
 * The kernel moves an RDMA device out of the namespace of the calling thread only, and wants the socket to be
 * of the same one (nldev_set_doit, ib_device_set_netns_put).
 */
static int move_rdma(struct converge *c, const struct vf_rdma *from, enum vf_place to,
		     struct err *e)
{
	bool in_pod = from->place == VF_POD;
	struct netlink *nl;
	struct err back;
	uint32_t index;
	int r;

	r = vf_site_rdma(c->site, in_pod, &nl, e);
	if (r)
		return r;
	r = index_of(nl, from, &index);
	if (!r && in_pod && netns_enter(c->site->pod_ns, e))
		return -e->sys;
	if (!r)
		r = rdma_dev_move(nl, index, to == VF_POD ? c->site->pod_ns : c->site->host_ns);
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

int step_rdma_netns(struct converge *c, struct err *e)
{
	struct err first = { 0 }, err;
	auto_close int lock = -1;
	int r;

	if (!(c->diff & VF_RDMA_NETNS))
		return 0;
	lock = sysfs_rdma_lock(c->site->sysfs, RDMA_LOCK_MS, e);
	if (lock < 0)
		return lock;
	c->fresh &= ~(unsigned int)(VF_RDMA | VF_LINK);
	for (unsigned int i = 0; i < c->now->rdma_count && i < c->want->rdma_count; i++) {
		if (c->now->rdma[i].place == c->want->rdma[i].place)
			continue;
		r = move_rdma(c, &c->now->rdma[i], c->want->rdma[i].place, &err);
		if (!r)
			continue;
		err_keep_first(&first, &err);
		if (!step_goes_on(c))
			break;
	}
	/* IPoIB's interfaces are made anew, in init's namespace or (Linux 6.16) in that of the device */
	if (hwaddr_is_ipoib(&c->now->mac) && step_await_link(c, &err))
		err_keep_first(&first, &err);
	return err_return(&first, e);
}

static int rename_rdma(struct converge *c, struct vf_rdma *now, const char *name, struct err *e)
{
	struct netlink *nl;
	uint32_t index;
	int r = vf_site_rdma(c->site, now->place == VF_POD, &nl, e);

	if (r)
		return r;
	c->fresh &= ~(unsigned int)VF_RDMA;
	r = index_of(nl, now, &index);
	if (!r)
		r = rdma_dev_rename(nl, index, name);
	if (r)
		return netlink_err(nl, e, r, "VF %s: rename RDMA device %s to %s", c->vf->bdf,
				   now->name, name);
	snprintf(now->name, sizeof(now->name), "%s", name);
	return 0;
}

/* A name is one device's in the whole system: when another one of the VF has it, as a pod may have it, that goes first. */
static int free_name(struct converge *c, const char *name, struct err *e)
{
	for (unsigned int i = 0; i < c->now->rdma_count; i++) {
		char spare[RDMA_NAME_MAX];

		if (strcmp(c->now->rdma[i].name, name) != 0)
			continue;
		snprintf(spare, sizeof(spare), "spare_rdma_%u", c->now->rdma[i].id);
		return rename_rdma(c, &c->now->rdma[i], spare, e);
	}
	return 0;
}

int step_rdma_names(struct converge *c, struct err *e)
{
	struct err first = { 0 }, err;
	int r = 0;

	if (!(c->want->fields & VF_RDMA_NAME))
		return 0;
	if (c->diff & VF_RDMA_NETNS) /* a move may have renamed it */
		r = step_observe(c, VF_RDMA, e);
	if (r || !(vf_diff(c->now, c->want) & VF_RDMA_NAME))
		return r;
	for (unsigned int i = 0; i < c->now->rdma_count && i < c->want->rdma_count; i++) {
		const char *name = c->want->rdma[i].name;

		if (!strcmp(c->now->rdma[i].name, name))
			continue;
		r = free_name(c, name, &err);
		if (r ?: rename_rdma(c, &c->now->rdma[i], name, &err))
			err_keep_first(&first, &err);
	}
	return err_return(&first, e);
}
