/* SPDX-License-Identifier: Apache-2.0 */
/* A virtual function: found by its PCI address, never by a remembered name or ifindex. */
#pragma once

#include "base/err.h"
#include "kernel/netlink.h"
#include "kernel/sysfs.h"

#include <stdbool.h>
#include <stdint.h>

struct vf {
	char bdf[PCI_ADDR_MAX];
	char pf_bdf[PCI_ADDR_MAX];
	char driver[SYSFS_NAME_MAX]; /* "" = no driver is bound */
	bool userspace; /* bound to a driver for user space (vfio, uio): there is no netdev */
	uint32_t index; /* which VF of its PF */
	char pf_name[IFNAMSIZ];
	int pf_ifindex;
	uint32_t pf_mtu;
	bool infiniband; /* its PF's interface is an InfiniBand one */
};

/**
 * vf_find() - find a VF and its PF
 * @sysfs: see sysfs_open()
 * @host: a socket of the PF's namespace
 * @device_id: a PCI address; upper-case digits are taken, too
 *
 * Errors: code 7, naming deviceID and what is wrong with it: no PCI address (-EINVAL), not there
 * (-ENODEV), not a VF (-ENOTSUP), or a PF without a network interface (-ENXIO).
 */
int vf_find(int sysfs, struct netlink *host, const char *device_id, struct vf *ret, struct err *e);

/**
 * vf_find_function() - a PCI function of which only the RDMA devices are of interest; it need not be a VF
 *
 * Of @ret nothing is set but the address: what is not VF_RDMA cannot be observed with it.
 * Errors: code 7: no PCI address (-EINVAL), not there (-ENODEV).
 */
int vf_find_function(int sysfs, const char *device_id, struct vf *ret, struct err *e);
