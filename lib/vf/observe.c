/* SPDX-License-Identifier: Apache-2.0 */
#include "vf/observe.h"

#include "kernel/sysfs_rdma.h"

#include <errno.h>
#include <string.h>

/* sysfs tells the name and rtnetlink the rest; udev may rename in between, so look twice. */
static int find_in_host(struct vf_site *site, const struct vf *vf, struct link *ret)
{
	char name[IFNAMSIZ];
	int r = -ENODEV;

	for (int attempt = 0; r == -ENODEV && attempt < 3; attempt++) {
		if (sysfs_pci_netdev(site->sysfs, vf->bdf, name))
			return -ENODEV;
		r = link_get(&site->host, 0, name, ret);
	}
	return r;
}

/* Is it still what it was a moment ago, or the name that it was given? That saves a look at sysfs, or a dump. */
static bool is_there(struct netlink *nl, const struct vf *vf, int ifindex, const char *name,
		     struct link *ret)
{
	return nl->sock && (ifindex || *name) && !link_get(nl, ifindex, name, ret) &&
	       !strcmp(ret->parent, vf->bdf);
}

static int find_in_pod(struct vf_site *site, const struct vf *vf, const struct vf_state *last,
		       struct link *ret)
{
	if (!site->pod.sock)
		return -ENODEV;
	if (is_there(&site->pod, vf, last->ifindex, last->name, ret))
		return 0;
	return link_find_by_parent(&site->pod, vf->bdf, ret);
}

static int find_link(struct vf_site *site, const struct vf *vf, const struct vf_state *last,
		     enum vf_place *ret_place, struct link *ret)
{
	int r;

	*ret_place = VF_HOST;
	if (last->ifindex && last->place == VF_HOST &&
	    is_there(&site->host, vf, last->ifindex, "", ret))
		return 0;
	if (last->ifindex && last->place == VF_POD &&
	    is_there(&site->pod, vf, last->ifindex, "", ret)) {
		*ret_place = VF_POD;
		return 0;
	}
	r = find_in_host(site, vf, ret);
	if (r != -ENODEV)
		return r;
	*ret_place = VF_POD;
	return find_in_pod(site, vf, last, ret);
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
		if (!vf->userspace &&
		    !sysfs_pci_driver(site->sysfs, vf->bdf, driver, sizeof(driver)))
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

/*
 * sysfs shows the verbs devices of all namespaces, so this finds a device wherever it is; whether it is here
 * shows in infiniband/. If not, it is in the pod, unless the pod's socket does not see it.
 */
static int observe_rdma(struct vf_site *site, const struct vf *vf, struct vf_state *s,
			struct err *e)
{
	struct sysfs_rdma devs[VF_RDMA_DEVS];
	int count = sysfs_pci_rdma(site->sysfs, vf->bdf, devs, VF_RDMA_DEVS);
	struct netlink *nl;

	if (count < 0)
		return err_set(e, CNI_ERR_IO, count, "read the RDMA devices of VF %s", vf->bdf);
	if (count > VF_RDMA_DEVS)
		return err_set(e, CNI_ERR_KERNEL, E2BIG, "VF %s has %d RDMA devices", vf->bdf,
			       count);
	s->fields &= ~(unsigned int)VF_RDMA;
	s->fields |= count ? VF_RDMA : 0;
	s->rdma_count = (unsigned int)count;
	for (int i = 0; i < count; i++) {
		memcpy(s->rdma[i].name, devs[i].name, sizeof(s->rdma[i].name));
		s->rdma[i].uverbs = devs[i].uverbs;
		s->rdma[i].place = devs[i].here ? VF_HOST : VF_ELSEWHERE;
		if (!devs[i].here && site->pod_ns >= 0) {
			int r = vf_site_rdma(site, true, &nl, e);

			if (r)
				return r;
			if (!rdma_dev_find(nl, devs[i].name, &site->rdma_dev))
				s->rdma[i].place = VF_POD;
		}
	}
	return 0;
}

static void observe_driver(struct vf_site *site, const struct vf *vf, struct vf_state *s)
{
	if (sysfs_pci_driver(site->sysfs, vf->bdf, s->driver, sizeof(s->driver)))
		s->driver[0] = '\0';
	s->fields |= VF_DRIVER;
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
		observe_driver(site, vf, state);
	return r;
}
