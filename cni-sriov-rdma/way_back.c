/* SPDX-License-Identifier: Apache-2.0 */
#include "way_back.h"

#include "addressing.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "device_info.h"
#include "ipam.h"
#include "kernel/netns.h"
#include "pod_sysctl.h"
#include "source_routing.h"
#include "vf/converge.h"
#include "vf/observe.h"
#include "workload.h"

#include <errno.h>
#include <string.h>

/* A namespace of the record's inode number, which may be a later one: a descriptor, or -ENOENT. */
static int find_pod_ns(const struct record *record, struct err *e)
{
	auto_close int fd = netns_open(record->env.netns, e);
	struct netns_id id;

	if (fd < 0 && !netns_is_gone(fd))
		return fd;
	if (fd >= 0) {
		int r = netns_id(fd, &id, e);

		if (r)
			return r;
		if (netns_id_equal(&id, &record->netns_id))
			return take_fd(&fd);
	}
	return netns_find(&record->netns_id, e); /* the path is another pod's by now, or nobody's */
}

/* With the record's namespace, if that still lives. */
static int open_site(const struct record *record, struct vf_site *ret, struct err *e)
{
	auto_vf_site struct vf_site site = VF_SITE_NONE;
	struct netns_id is = record->netns_id;
	int pod_ns = find_pod_ns(record, e), r;

	if (pod_ns < 0 && pod_ns != -ENOENT)
		return pod_ns;
	r = vf_site_open(&site, pod_ns < 0 ? -1 : pod_ns, e);
	if (r)
		return r;
	is.cookie = netlink_netns_cookie(&site.pod);
	if (!netns_id_equal(&is, &record->netns_id)) {
		vf_site_close(&site);
		return vf_site_open(ret, -1, e);
	}
	*ret = site;
	site = (struct vf_site)VF_SITE_NONE;
	return 0;
}

int way_back_pod_lives(const struct record *record, struct err *e)
{
	auto_vf_site struct vf_site site = VF_SITE_NONE;
	int r = open_site(record, &site, e);

	return r ? r : site.pod_ns >= 0;
}

/* What the way back has not reached. */
struct left {
	bool lost; /* the VF or a device of its is in no namespace that can be reached */
	bool in_use; /* its addresses may be: whether the pod still has the VF is not known, or it has */
};

/*
 * What can be restored now. Without an interface (the VF has been given to user space, or to no driver), or
 * with one that cannot be reached, there is still what the PF says.
 */
static struct vf_state reachable(const struct record *record, const struct vf_state *now,
				 bool *ret_lost)
{
	struct vf_state before = record->before;

	*ret_lost = false;
	/* an IPoIB address follows from the VF's GUID, and cannot be set on a VF */
	if (hwaddr_is_ipoib(&before.mac))
		before.fields &= ~(unsigned int)VF_MAC;
	/* somebody has given the VF to another driver since */
	if (*now->driver && strcmp(now->driver, before.driver) != 0)
		before.fields &= ~(unsigned int)VF_DRIVER;
	if (now->place == VF_ELSEWHERE) {
		*ret_lost = before.fields & now->fields & VF_NETNS;
		before.fields &= ~(unsigned int)VF_LINK;
	}
	vf_align_rdma(&before, now);
	if (!now->rdma_count)
		before.fields &= ~(unsigned int)VF_RDMA;
	for (unsigned int i = 0; i < now->rdma_count; i++)
		if (now->rdma[i].place == VF_ELSEWHERE && before.fields & VF_RDMA) {
			*ret_lost = true;
			before.fields &= ~(unsigned int)VF_RDMA;
		}
	return before;
}

/*
 * The addresses can be given back once the pod does not answer to them any more: its verbs device is home, and the
 * interface has none. The IPAM plugin does it while the driver takes the interface down, which sleeps.
 */
static int silence(struct vf_site *site, const struct vf *vf, struct vf_state *now,
		   const struct vf_state *before, struct err *e)
{
	struct vf_state rdma = *before;
	int r;

	rdma.fields &= VF_RDMA_NETNS;
	r = vf_converge(site, vf, now, &rdma, VF_RESTORE, e);
	if (!r && (before->fields & VF_LINK) && now->place == VF_POD && now->ifindex)
		r = addressing_clear(site, now->ifindex, e);
	return r;
}

/* What the name rdma has moved need not be a VF's. */
static bool is_rdma_only(const struct record *record)
{
	return !(record->before.fields & ~(unsigned int)VF_RDMA);
}

static int find(struct vf_site *site, const struct record *record, struct vf *ret, struct err *e)
{
	return is_rdma_only(record) ? vf_find_function(site->sysfs, record->bdf, ret, e)
				    : vf_find(site->sysfs, &site->host, record->bdf, ret, e);
}

static int restore_vf(struct vf_site *site, const struct record *record, struct ipam *release,
		      struct left *ret_left, struct err *e)
{
	unsigned int parts = is_rdma_only(record) ? VF_RDMA : VF_LINK | VF_RDMA | VF_DRIVER;
	struct vf_state now = { 0 }, before;
	struct err first = { 0 }, err;
	unsigned int reached;
	struct vf vf;
	int r;

	ret_left->in_use = site->pod_ns >= 0;
	r = find(site, record, &vf, e);
	if (r == -ENODEV || r == -ENOTSUP) {
		ret_left->in_use = false;
		log_info("VF %s is gone: there is nothing to restore", record->bdf);
		return 0;
	}
	/* GUIDs come first; else the PF is asked when its turn comes */
	if (record->before.fields & VF_PF_GUIDS)
		parts |= VF_PF;
	vf_expect(&now, &record->want);
	if (!r)
		r = vf_observe(site, &vf, parts, &now, e);
	if (!r)
		r = vf_await_home(site, &vf, &now, e);
	if (r)
		return r;
	before = reachable(record, &now, &ret_left->lost);
	/* its driver may be bound anew, which brings it back from anywhere: as good as a driver that is not bound */
	if (ret_left->lost)
		now.fields &= ~(unsigned int)VF_DRIVER;
	if (!silence(site, &vf, &now, &before, &err) && ipam_release_start(record, release, &err))
		err_keep_first(&first, &err);
	do { /* a driver that is bound again brings back what had gone with it */
		reached = before.fields;
		if (vf_converge(site, &vf, &now, &before, VF_RESTORE, &err))
			err_keep_first(&first, &err);
		before = reachable(record, &now, &ret_left->lost);
	} while (before.fields & ~reached);
	ret_left->in_use = (parts & VF_LINK) && site->pod_ns >= 0 && now.place != VF_ELSEWHERE &&
			   !(now.place == VF_HOST && now.ifindex);
	if (!first.code && ret_left->lost)
		log_warning(
			"VF %s is in no network namespace that can be reached; its record is kept, and it "
			"is repaired when it has come home",
			record->bdf);
	return err_return(&first, e);
}

/* The VF, and what its attachment changed in the pod's namespace. */
static int restore_at(struct vf_site *site, int store, const struct record *record,
		      struct ipam *release, struct left *ret_left, struct err *e)
{
	struct err first = { 0 }, err;

	if (restore_vf(site, record, release, ret_left, &err))
		err_keep_first(&first, &err);
	if (pod_sysctl_undo(site, store, record, &err))
		err_keep_first(&first, &err);
	if (source_routing_undo(site, record, &err))
		err_keep_first(&first, &err);
	return err_return(&first, e);
}

static int restore(struct vf_site *site, int store, const struct record *record,
		   struct ipam *release, struct left *ret_left, struct err *e)
{
	struct vf_site own = VF_SITE_NONE;
	int r;

	if (site)
		return restore_at(site, store, record, release, ret_left, e);
	r = open_site(record, &own, e);
	ret_left->in_use = r;
	if (!r)
		r = restore_at(&own, store, record, release, ret_left, e);
	vf_site_close(&own);
	return r;
}

static int undo(struct vf_site *site, int store, const struct record *record, bool restorable,
		bool *ret_lost, struct err *e)
{
	struct err first = { 0 }, err;
	struct ipam release = { 0 };
	struct left left = { 0 };

	if (restorable && restore(site, store, record, &release, &left, &err))
		err_keep_first(&first, &err);
	*ret_lost = left.lost;
	if (!release.runs && !left.in_use && ipam_release_start(record, &release, &err))
		err_keep_first(&first, &err);
	if (ipam_release_finish(&release, record, &err))
		err_keep_first(&first, &err);
	if (device_info_restore(record, &err))
		err_keep_first(&first, &err);
	if (workload_undo(store, record, &err))
		err_keep_first(&first, &err);
	return err_return(&first, e);
}

int way_back_undo(const struct record *record, bool *ret_lost, struct err *e)
{
	return undo(NULL, -1, record, true, ret_lost, e);
}

int way_back(struct vf_site *site, int store, const struct record *record, struct err *e)
{
	char boot[BOOT_ID_SIZE];
	bool lost = false;
	int r;

	r = boot_id(boot, e);
	r = r ?: undo(site, store, record, record_is_of_boot(record, boot), &lost, e);
	return r || lost ? r : record_drop(store, record->bdf, e);
}

/* "eth0v3", as systemd names the VFs of a PF; the name that it has when that does not fit. */
static void default_name(const struct vf *vf, const struct vf_state *now, char ret[IFNAMSIZ])
{
	char name[IFNAMSIZ + sizeof("v4294967295")];

	snprintf(name, sizeof(name), "%sv%u", vf->pf_name, vf->index);
	strcpy(ret, strlen(name) < IFNAMSIZ ? name : now->name);
}

static struct vf_state home_state(const struct vf *vf, const struct vf_state *now)
{
	struct vf_state home = { .fields = now->fields & VF_RDMA_NETNS,
				 .rdma_count = now->rdma_count };

	if (now->ifindex) {
		home.fields |= VF_NETNS | VF_NAME | VF_FLAGS;
		home.flags = now->flags & ~(unsigned int)(IFF_UP | IFF_PROMISC | IFF_ALLMULTI);
		default_name(vf, now, home.name);
	}
	return home; /* VF_HOST is 0 */
}

static int bring_home(struct vf_site *site, const struct vf *vf, unsigned int parts, int store,
		      struct err *e)
{
	struct vf_state now = { 0 }, home;
	int r = vf_observe(site, vf, parts, &now, e);

	if (r)
		return r;
	home = home_state(vf, &now);
	if (now.place != VF_POD && !(vf_diff(&now, &home) & VF_RDMA_NETNS))
		return 0; /* it is not this container's */
	log_warning(
		"VF %s: its record is damaged; it comes home%s%s, and its MTU, MAC and what its PF grants "
		"stay as they are",
		vf->bdf, *home.name ? " as " : "", home.name);
	r = vf_converge(site, vf, &now, &home, VF_RESTORE, e);
	return r ? r : record_set_aside(store, vf->bdf, e);
}

int way_back_without_record(int store, const char *bdf, const char *netns, bool rdma_only,
			    struct err *e)
{
	auto_vf_site struct vf_site site = VF_SITE_NONE;
	int pod_ns = netns_open(netns, e);
	struct vf vf;
	int r;

	if (pod_ns < 0)
		return netns_is_gone(pod_ns) ? 0 : pod_ns;
	r = vf_site_open(&site, pod_ns, e);
	if (rdma_only)
		r = r ?: vf_find_function(site.sysfs, bdf, &vf, e);
	else
		r = r ?: vf_find(site.sysfs, &site.host, bdf, &vf, e);
	return r ?: bring_home(&site, &vf, rdma_only ? VF_RDMA : VF_LINK | VF_RDMA, store, e);
}
