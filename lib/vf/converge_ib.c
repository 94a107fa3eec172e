/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GUIDs of an InfiniBand VF.
 *
 * A VF reads them from its PF when its driver is bound, and at no other time. So the driver is unbound before they are
 * set, and bound after: a VF that has its driver then has the GUIDs that its PF shows, and one that an interruption has
 * left without shows by that (VF_DRIVER) that it is to be bound. A driver for user space resets the VF by itself.
 *
 * Binding makes the interface and the RDMA device anew, in init's namespace, with the lowest free names: another VF
 * that is bound at the same time would take them, hence the lock.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "kernel/sysfs_rdma.h"
#include "vf/step.h"

#include <errno.h>

#define MADE_MS 10000 /* until a driver has made what it makes: at once, as far as is known */
#define POLL_MS 10

static int set_guid(struct converge *c, unsigned int field, struct err *e)
{
	const struct vf_state *want = c->want;
	struct vfinfo guids = {
		.node_guid = vf_settable_guid(want, want->pf.node_guid),
		.port_guid = vf_settable_guid(want, want->pf.port_guid),
	};
	char text[GUID_TEXT];
	int r;

	if (!(c->diff & field))
		return 0;
	r = step_send_pf(c, &guids, field, e);
	if (!r || r == -ETIMEDOUT)
		return r;
	return netlink_err(
		&c->site->host, e, r, "PF %s: set %s of VF %u to %s", c->vf->pf_name,
		vf_field_name(field), c->vf->index,
		guid_format(field == VF_PF_NODE_GUID ? guids.node_guid : guids.port_guid, text));
}

/* One by one, so that an error tells which. */
static int set_guids(struct converge *c, struct err *e)
{
	struct err first = { 0 }, err;

	if (set_guid(c, VF_PF_NODE_GUID, &err))
		err_keep_first(&first, &err);
	if ((!first.code || step_goes_on(c)) && set_guid(c, VF_PF_PORT_GUID, &err))
		err_keep_first(&first, &err);
	if (step_observe(c, VF_PF, &err))
		err_keep_first(&first, &err);
	return err_return(&first, e);
}

static int unbind_driver(struct converge *c, struct err *e)
{
	int r;

	if (!*c->now->driver)
		return 0;
	r = sysfs_pci_unbind(c->site->sysfs, c->vf->bdf, c->now->driver);
	return r ? err_set(e, CNI_ERR_KERNEL, r, "VF %s: unbind its driver %s, for its GUIDs",
			   c->vf->bdf, c->now->driver)
		 : 0;
}

static int bind_driver(struct converge *c, struct err *e)
{
	const char *driver = c->want->driver;
	int r = sysfs_pci_bind(c->site->sysfs, c->vf->bdf, driver);

	if (!r)
		return 0;
	err_set(e, CNI_ERR_KERNEL, r, "VF %s: bind its driver %s again", c->vf->bdf, driver);
	err_details(e, "the VF has no driver now; dmesg may tell why %s does not take it", driver);
	return r;
}

/* A state that has a name had an interface, whether or not its fields count now. */
static bool is_made(const struct converge *c)
{
	bool guid_counts = c->want->fields & VF_MAC && hwaddr_is_ipoib(&c->want->mac);

	return (!*c->want->name || c->now->ifindex) && c->now->rdma_count >= c->want->rdma_count &&
	       (!guid_counts || hwaddr_guid(&c->now->mac) == hwaddr_guid(&c->want->mac));
}

static int await_made(struct converge *c, struct err *e)
{
	uint64_t deadline = clock_ms() + MADE_MS;
	char guid[GUID_TEXT];
	int r;

	for (;;) {
		r = step_observe(c, VF_LINK | VF_RDMA | VF_DRIVER, e);
		if (r || is_made(c))
			return r;
		if (clock_ms() >= deadline)
			break;
		clock_pause(POLL_MS);
	}
	if (*c->want->name && !c->now->ifindex)
		return err_set(
			e, CNI_ERR_KERNEL, ETIMEDOUT,
			"VF %s: driver %s, bound again, makes no interface; is ib_ipoib loaded?",
			c->vf->bdf, c->now->driver);
	if (c->now->rdma_count < c->want->rdma_count)
		return err_set(e, CNI_ERR_KERNEL, ETIMEDOUT,
			       "VF %s: driver %s, bound again, makes %u RDMA devices, not %u",
			       c->vf->bdf, c->now->driver, c->now->rdma_count, c->want->rdma_count);
	return err_set(
		e, CNI_ERR_KERNEL, ETIMEDOUT,
		"VF %s: driver %s, bound again, gives its interface GUID %s, and not the PF's",
		c->vf->bdf, c->now->driver, guid_format(hwaddr_guid(&c->now->mac), guid));
}

/* As it was called before; udev may do the same meanwhile, or give it a name of its own. */
static int name_rdma(struct converge *c, struct err *e)
{
	uint64_t deadline = clock_ms() + MADE_MS;
	int r;

	do {
		r = step_rdma_names(c, e);
		if (r != -ENODEV)
			return r;
		clock_pause(POLL_MS);
	} while (clock_ms() < deadline);
	return r;
}

static int bind_anew(struct converge *c, struct err *e)
{
	struct err first = { 0 }, err;
	auto_close int lock = sysfs_rdma_lock(c->site->sysfs, RDMA_LOCK_MS, e);
	int r;

	if (lock < 0)
		return lock;
	c->fresh = 0;
	r = unbind_driver(c, e); /* what has its driver keeps its GUIDs */
	if (r)
		return r;
	if ((c->diff & VF_PF_GUIDS) && set_guids(c, &err))
		err_keep_first(&first, &err);
	if (bind_driver(c, &err) || await_made(c, &err) || name_rdma(c, &err))
		err_keep_first(&first, &err);
	return err_return(&first, e);
}

int step_guids(struct converge *c, struct err *e)
{
	if (!(c->diff & (VF_PF_GUIDS | VF_DRIVER)))
		return 0;
	return c->want->fields & VF_DRIVER ? bind_anew(c, e) : set_guids(c, e);
}

int step_await_link(struct converge *c, struct err *e)
{
	uint64_t deadline = clock_ms() + MADE_MS;
	int r;

	for (;;) {
		r = step_observe(c, VF_LINK, e);
		if (r || c->now->ifindex)
			return r;
		if (clock_ms() >= deadline)
			return err_set(
				e, CNI_ERR_KERNEL, ETIMEDOUT,
				"VF %s: the move of its RDMA device took its interface away, and it did "
				"not come back; is ib_ipoib loaded?",
				c->vf->bdf);
		clock_pause(POLL_MS);
	}
}
