/* SPDX-License-Identifier: Apache-2.0 */
#include "legacy_ib.h"

#include "vf/converge.h"
#include "vf/observe.h"

#include <errno.h>
#include <string.h>

static int find(struct vf_site *site, const char *bdf, struct vf *ret, struct err *e)
{
	int r = vf_site_open(site, -1, e);

	return r ? r : vf_find(site->sysfs, &site->host, bdf, ret, e);
}

/* The one that it has; after an interruption between unbinding and binding, its PF's, which is that of its VFs, too. */
static int find_driver(const struct vf_site *site, const struct vf *vf, char ret[SYSFS_NAME_MAX])
{
	strcpy(ret, vf->driver);
	if (!*ret)
		return sysfs_pci_driver(site->sysfs, vf->pf_bdf, ret, SYSFS_NAME_MAX);
	return 0;
}

/* Where that plugin had not moved the RDMA device, it said nothing of it; but bound anew, it may get another name. */
static int keep_rdma_name(struct vf_site *site, const struct vf *vf, struct vf_state *before,
			  struct err *e)
{
	struct vf_state now = { 0 };
	int r = vf_observe(site, vf, VF_RDMA, &now, e);

	if (r || !now.rdma_count)
		return r;
	before->fields |= VF_RDMA;
	before->rdma_count = now.rdma_count;
	memcpy(before->rdma, now.rdma, sizeof(before->rdma));
	for (unsigned int i = 0; i < before->rdma_count; i++)
		before->rdma[i].place = VF_HOST;
	return 0;
}

int legacy_ib_complete(struct legacy *l, struct err *e)
{
	auto_vf_site struct vf_site site = VF_SITE_NONE;
	struct vf vf;
	int r = find(&site, l->bdf, &vf, e);

	if (r == -ENODEV || r == -ENOTSUP) /* the undoing finds the same, and knows what it means */
		return 0;
	if (r || vf.userspace)
		return r;
	r = find_driver(&site, &vf, l->before.driver);
	if (r)
		return err_set(e, CNI_ERR_IO, r, "look for the driver of VF %s", l->bdf);
	if (*l->before.driver)
		l->before.fields |= VF_DRIVER;
	return l->before.fields & VF_RDMA ? 0 : keep_rdma_name(&site, &vf, &l->before, e);
}

int legacy_ib_is_home(const char *bdf, struct err *e)
{
	auto_vf_site struct vf_site site = VF_SITE_NONE;
	struct vf_state now = { 0 };
	struct vf vf;
	bool home;
	int r = find(&site, bdf, &vf, e);

	if (r == -ENODEV || r == -ENOTSUP)
		return 0;
	if (!r)
		r = vf_observe(&site, &vf, VF_LINK | VF_RDMA, &now, e);
	if (!r)
		r = vf_await_home(&site, &vf, &now, e);
	if (r)
		return r;
	home = now.ifindex && now.place == VF_HOST;
	for (unsigned int i = 0; i < now.rdma_count; i++)
		home &= now.rdma[i].place == VF_HOST;
	return home;
}
