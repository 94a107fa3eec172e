/* SPDX-License-Identifier: Apache-2.0 */
/* What sysfs tells of RDMA devices; see sysfs.h. */
#pragma once

#include "base/inet.h"
#include "kernel/sysfs.h"

/* An RDMA device of a function. */
struct sysfs_rdma {
	char name[SYSFS_NAME_MAX];
	char parent
		[SYSFS_NAME_MAX]; /* the auxiliary device that it belongs to, "" = the function itself */
	int uverbs; /* N of /dev/infiniband/uverbsN, -1 without ib_uverbs */
	bool here; /* seen in infiniband/ too, so in this sysfs's namespace; always in shared mode */
};

/**
 * sysfs_pci_rdma() - the function's RDMA devices, in whichever namespace they are, sorted by name
 *
 * Those below its auxiliary devices, too (the kernel's Documentation/driver-api/auxiliary_bus.rst), such as
 * mlx5_core.rdma.4: drivers make the RDMA device a child of the one or of the other.
 *
 * @ret: room for @max
 * Return: how many there are, which may be more than @max, or a negative errno.
 */
int sysfs_pci_rdma(int sysfs, const char *bdf, struct sysfs_rdma *ret, unsigned int max);

/**
 * sysfs_rdma_owner() - the function that has an RDMA device, in whichever namespace it is
 * @ret_bdf: "" when it has no PCI function, like stock rxe
 * @ret_uverbs: N of /dev/infiniband/uverbsN
 * Return: 0, or -ENOENT when there is no verbs device of it.
 */
int sysfs_rdma_owner(int sysfs, const char *dev, char ret_bdf[PCI_ADDR_MAX], int *ret_uverbs);

/** sysfs_rdma_lock() - the same for the RDMA subsystem of the node */
int sysfs_rdma_lock(int sysfs, unsigned int timeout_ms, struct err *e);

/*
 * The next ones want the sysfs of the namespace that the device is in: see sysfs_open_in().
 */

/** sysfs_rdma_port_state() - "ACTIVE", "DOWN", … */
int sysfs_rdma_port_state(int sysfs, const char *dev, unsigned int port, char ret[SYSFS_NAME_MAX]);

/** sysfs_rdma_link_layer() - is it Ethernet, and the device RoCE? */
int sysfs_rdma_link_layer(int sysfs, const char *dev, unsigned int port, bool *ret_ethernet);

/**
 * sysfs_rdma_gid_find() - the slot of an address's RoCE v2 GID on an interface
 * Return: its index, or -ENOENT: it appears some time after the address does.
 */
int sysfs_rdma_gid_find(int sysfs, const char *dev, unsigned int port,
			const struct inet_addr *address, const char *ifname);
