/* SPDX-License-Identifier: Apache-2.0 */
#include "vf/vf.h"

#include "base/cleanup.h"
#include "kernel/link.h"

#include <errno.h>
#include <string.h>

/* Drivers that hand a device to user space (sriov-network-device-plugin and DPDK know these). */
static bool is_userspace_driver(const char *driver)
{
	static const char *const names[] = { "vfio-pci", "uio_pci_generic", "igb_uio" };

	for (unsigned int i = 0; i < array_size(names); i++)
		if (!strcmp(driver, names[i]))
			return true;
	return !strncmp(driver, "vfio", 4) ||
	       strstr(driver, "vfio_pci"); /* mlx5_vfio_pci and its kind */
}

static int find_pf(int sysfs, struct netlink *host, struct vf *vf, struct err *e)
{
	struct link pf;
	int r;

	r = sysfs_pci_pf(sysfs, vf->bdf, vf->pf_bdf);
	if (r && r != -ENOENT)
		return err_set(e, CNI_ERR_IO, r, "look for the PF of deviceID %s", vf->bdf);
	if (r)
		return err_set(e, CNI_ERR_CONFIG, ENOTSUP,
			       "deviceID %s is not an SR-IOV virtual function (it has no physfn)",
			       vf->bdf);
	r = sysfs_pci_vf_index(sysfs, vf->pf_bdf, vf->bdf, &vf->index);
	if (r)
		return err_set(e, CNI_ERR_CONFIG, r == -ENOENT ? ENXIO : r,
			       "deviceID %s: find it among the VFs of PF %s", vf->bdf, vf->pf_bdf);
	r = sysfs_pci_uplink(sysfs, vf->pf_bdf, vf->pf_name);
	if (r && r != -ENOENT)
		return err_set(e, CNI_ERR_IO, r, "deviceID %s: look for the interface of its PF %s",
			       vf->bdf, vf->pf_bdf);
	if (r)
		return err_set(e, CNI_ERR_CONFIG, ENXIO,
			       "deviceID %s: its PF %s has no network interface in this namespace",
			       vf->bdf, vf->pf_bdf);
	r = link_get(host, 0, vf->pf_name, &pf);
	if (r) /* -ENODEV: renamed since, which says nothing about the VF */
		return netlink_err(host, e, r == -ENODEV ? -ENXIO : r, "look up PF %s",
				   vf->pf_name);
	vf->pf_ifindex = pf.ifindex;
	vf->pf_mtu = pf.mtu;
	vf->infiniband = hwaddr_is_ipoib(&pf.mac);
	return 0;
}

int vf_find_function(int sysfs, const char *device_id, struct vf *ret, struct err *e)
{
	struct vf vf = { 0 };
	int r;

	if (pci_addr_parse(device_id, vf.bdf))
		return err_set(
			e, CNI_ERR_CONFIG, 0,
			"deviceID '%s' is not a PCI address (DDDD:BB:DD.F, e.g. 0000:14:00.1)",
			device_id);
	r = sysfs_pci_exists(sysfs, vf.bdf);
	if (r < 0)
		return err_set(e, CNI_ERR_IO, r, "look for deviceID %s", vf.bdf);
	if (!r)
		return err_set(e, CNI_ERR_CONFIG, ENODEV,
			       "deviceID %s: there is no such PCI device", vf.bdf);
	*ret = vf;
	return 0;
}

int vf_find(int sysfs, struct netlink *host, const char *device_id, struct vf *ret, struct err *e)
{
	struct vf vf;
	int r = vf_find_function(sysfs, device_id, &vf, e);

	if (r)
		return r;
	r = sysfs_pci_driver(sysfs, vf.bdf, vf.driver, sizeof(vf.driver));
	if (r)
		return err_set(e, CNI_ERR_IO, r, "look for the driver of VF %s", vf.bdf);
	vf.userspace = is_userspace_driver(vf.driver);
	r = find_pf(sysfs, host, &vf, e);
	if (!r)
		*ret = vf;
	return r;
}
