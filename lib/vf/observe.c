/* SPDX-License-Identifier: Apache-2.0 */
#include "vf/observe.h"

#include "base/file.h"
#include "kernel/sysfs_rdma.h"

#include <errno.h>
#include <string.h>

/* sysfs tells the name and rtnetlink the rest; udev may rename in between, so look twice. */
static int find_in_host(struct vf_site *site, const struct vf *vf, struct link *ret)
{
	char name[IFNAMSIZ];
	int r = -ENODEV;

	for (int attempt = 0; r == -ENODEV && attempt < 3; attempt++) {
		r = sysfs_pci_netdev(site->sysfs, vf->bdf, name);
		if (r)
			return file_is_gone(r) ? -ENODEV : r;
		r = link_get(&site->host, 0, name, ret);
	}
	return r;
}

/* Is it still what it was a moment ago, or what it should be? That saves a look at sysfs, or a dump. */
static bool is_there(struct netlink *nl, const struct vf *vf, int ifindex, const char *name,
		     struct link *ret)
{
	return netlink_is_open(nl) && (ifindex || *name) && !link_get(nl, ifindex, name, ret) &&
	       !strcmp(ret->parent, vf->bdf);
}

static int find_in_pod(struct vf_site *site, const struct vf *vf, struct link *ret)
{
	return netlink_is_open(&site->pod) ? link_find_by_parent(&site->pod, vf->bdf, ret)
					   : -ENODEV;
}

static int find_link(struct vf_site *site, const struct vf *vf, const struct vf_state *last,
		     enum vf_place *ret_place, struct link *ret)
{
	int r;

	*ret_place = last->place;
	if (last->place == VF_HOST && last->ifindex &&
	    is_there(&site->host, vf, last->ifindex, "", ret))
		return 0;
	if (last->place == VF_POD && is_there(&site->pod, vf, last->ifindex, last->name, ret))
		return 0;
	*ret_place = VF_HOST;
	r = find_in_host(site, vf, ret);
	if (r != -ENODEV)
		return r;
	*ret_place = VF_POD;
	return find_in_pod(site, vf, ret);
}

static int observe_link(struct vf_site *site, const struct vf *vf, struct vf_state *s,
			struct err *e)
{
	enum vf_place place;
	struct link l;
	int r = find_link(site, vf, s, &place, &l);

	s->fields &= ~(unsigned int)VF_LINK;
	s->ifindex = 0;
	s->place = place;
	if (r == -ENODEV) {
		char driver[SYSFS_NAME_MAX];

		s->place = VF_ELSEWHERE;
		/* asked anew: it may have been bound or unbound since the VF was found */
		r = sysfs_pci_driver(site->sysfs, vf->bdf, driver, sizeof(driver));
		if (r)
			return err_set(e, CNI_ERR_IO, r, "look for the driver of VF %s", vf->bdf);
		if (!vf->userspace && *driver)
			s->fields |= VF_NETNS;
		return 0;
	}
	if (r)
		return netlink_err(s->place == VF_POD ? &site->pod : &site->host, e, r,
				   "look up the interface of VF %s", vf->bdf);
	s->fields |= VF_LINK;
	s->ifindex = l.ifindex;
	s->mac = l.mac;
	s->mtu = l.mtu;
	s->txqlen = l.txqlen;
	s->group = l.group;
	s->flags = l.flags & VF_FLAGS_MASK;
	s->carrier = l.carrier;
	s->altname_count = l.altname_count;
	memcpy(s->name, l.name, sizeof(s->name));
	memcpy(s->alias, l.alias, sizeof(s->alias));
	memcpy(s->altnames, l.altnames, sizeof(s->altnames));
	return 0;
}

static int observe_pf(struct vf_site *site, const struct vf *vf, struct vf_state *s, struct err *e)
{
	int r = vfinfo_get(&site->host, vf->pf_ifindex, vf->index, &s->pf);

	s->fields &= ~(unsigned int)VF_PF;
	if (r == -ENODEV) /* a PF whose driver grants its VFs nothing */
		return 0;
	if (r)
		return netlink_err(&site->host, e, r, "read PF %s's view of VF %u", vf->pf_name,
				   vf->index);
	s->fields |= s->pf.has << VF_PF_SHIFT;
	return 0;
}

/* What was known of a device of that name: its index is where to look first. */
static uint32_t known_id(const struct vf_state *s, const char *name)
{
	for (unsigned int i = 0; i < s->rdma_count; i++)
		if (!strcmp(s->rdma[i].name, name))
			return s->rdma[i].id;
	return 0;
}

/*
 * Is the device in the host's namespace, in the pod's, or in neither? In the host's it also shows in infiniband/.
 * On a node whose devices have come in one go, the number of its verbs device is its index, too.
 */
static int place_rdma(struct vf_site *site, bool here, uint32_t was, struct vf_rdma *dev,
		      struct err *e)
{
	struct netlink *nl;
	struct rdma_dev found;
	int r;

	dev->place = here ? VF_HOST : VF_ELSEWHERE;
	dev->id = was;
	if (!here && site->pod_ns < 0)
		return 0;
	r = vf_site_rdma(site, !here, &nl, e);
	if (r)
		return r;
	r = rdma_dev_find(nl, dev->name, was ? (int64_t)was - 1 : dev->uverbs, &found);
	if (r == -ENODEV)
		return 0;
	if (r)
		return netlink_err(nl, e, r, "look for RDMA device %s", dev->name);
	if (!here)
		dev->place = VF_POD;
	dev->id = found.index + 1;
	dev->guid = found.node_guid;
	return 0;
}

/* By what stays with a device, so that a name that has changed does not change the order. */
static int by_id(const void *a, const void *b)
{
	const struct vf_rdma *x = a, *y = b;

	if (x->id != y->id && x->id && y->id)
		return x->id < y->id ? -1 : 1;
	return x->id != y->id ? (x->id ? -1 : 1) : strcmp(x->name, y->name);
}

/* sysfs shows the verbs devices of all namespaces, so this finds a device wherever it is. */
static int observe_rdma(struct vf_site *site, const struct vf *vf, struct vf_state *s,
			struct err *e)
{
	struct vf_rdma found[VF_RDMA_DEVS] = { 0 };
	struct sysfs_rdma devs[VF_RDMA_DEVS];
	int count = sysfs_pci_rdma(site->sysfs, vf->bdf, devs, VF_RDMA_DEVS);

	if (count < 0)
		return err_set(e, CNI_ERR_IO, count, "read the RDMA devices of VF %s", vf->bdf);
	if (count > VF_RDMA_DEVS)
		return err_set(e, CNI_ERR_KERNEL, E2BIG, "VF %s has %d RDMA devices", vf->bdf,
			       count);
	for (int i = 0; i < count; i++) {
		int r;

		memcpy(found[i].name, devs[i].name, sizeof(found[i].name));
		memcpy(found[i].parent, devs[i].parent, sizeof(found[i].parent));
		found[i].uverbs = devs[i].uverbs;
		r = place_rdma(site, devs[i].here, known_id(s, devs[i].name), &found[i], e);
		if (r)
			return r;
	}
	qsort(found, (size_t)count, sizeof(found[0]), by_id);
	memcpy(s->rdma, found, sizeof(s->rdma));
	s->rdma_count = (unsigned int)count;
	s->fields &= ~(unsigned int)VF_RDMA;
	s->fields |= count ? VF_RDMA : 0;
	return 0;
}

bool vf_observe_moved_rdma(struct vf_site *site, struct vf_state *state,
			   const struct vf_state *want)
{
	struct netlink *nl;
	struct rdma_dev dev;
	struct err ignored;

	for (unsigned int i = 0; i < state->rdma_count; i++) {
		struct vf_rdma *rdma = &state->rdma[i];
		enum vf_place place = i < want->rdma_count ? want->rdma[i].place : rdma->place;

		if (!rdma->id || place == VF_ELSEWHERE ||
		    vf_site_rdma(site, place == VF_POD, &nl, &ignored) ||
		    rdma_dev_get(nl, rdma->id - 1, &dev))
			return false;
		rdma->place = place;
		memcpy(rdma->name, dev.name, sizeof(rdma->name));
	}
	return true;
}

void vf_expect(struct vf_state *state, const struct vf_state *want)
{
	state->place = want->place;
	memcpy(state->name, want->name, sizeof(state->name));
}

static int observe_driver(struct vf_site *site, const struct vf *vf, struct vf_state *s,
			  struct err *e)
{
	int r = sysfs_pci_driver(site->sysfs, vf->bdf, s->driver, sizeof(s->driver));

	if (r)
		return err_set(e, CNI_ERR_IO, r, "look for the driver of VF %s", vf->bdf);
	s->fields |= VF_DRIVER;
	return 0;
}

int vf_observe(struct vf_site *site, const struct vf *vf, unsigned int parts,
	       struct vf_state *state, struct err *e)
{
	int r = 0;

	if (parts & VF_LINK)
		r = observe_link(site, vf, state, e);
	if (!r && (parts & VF_PF))
		r = observe_pf(site, vf, state, e);
	if (!r && (parts & VF_RDMA))
		r = observe_rdma(site, vf, state, e);
	if (!r && (parts & VF_DRIVER))
		r = observe_driver(site, vf, state, e);
	return r;
}
