/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What sysfs tells of PCI functions. The only place that knows "/sys".
 *
 * The first argument is a descriptor of sysfs's root (a test may open a captured tree instead), the second
 * a PCI address ("0000:14:00.1"). Functions return 0 or a count, or the negative errno of the access.
 *
 * infiniband/ and net/ below a device show what is in the namespace that this sysfs was mounted in, the
 * host's; infiniband_verbs/ shows all (the kernel's docs and drivers/infiniband/core/uverbs_main.c).
 */
#pragma once

#include "base/err.h"

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#define PCI_ADDR_MAX \
	17 /* "DDDDDDDD:BB:DD.F" and a NUL; domains above 4 digits exist (VMD, Hyper-V) */
#define SYSFS_NAME_MAX 64

/**
 * pci_addr_parse() - check a PCI address, and write it as sysfs has it (lower case)
 * Return: 0 or -EINVAL.
 */
int pci_addr_parse(const char *text, char ret[PCI_ADDR_MAX]);

/** sysfs_open() - @root is "/sys" but for tests; code 5 */
int sysfs_open(const char *root, struct err *e);

/**
 * sysfs_open_in() - sysfs as another network namespace sees it
 * @ns: that namespace; @own_ns: the caller's, to come back to
 *
 * A mount that is attached nowhere (fsopen(2), Linux 5.2): it needs no mount point and no mount namespace, and goes
 * with its descriptor.
 */
int sysfs_open_in(int ns, int own_ns, struct err *e);

/**
 * sysfs_mount_own() - let this process see, at /sys, what its network namespace does
 *
 * For libraries that read /sys by path, after netns_enter(): in a mount namespace of its own, as ip-netns(8) does it, so
 * that nobody else notices. Code 100.
 */
int sysfs_mount_own(struct err *e);

/** sysfs_pci_exists() - is there such a function? 1, 0, or the error that keeps it unknown */
int sysfs_pci_exists(int sysfs, const char *bdf);

/** sysfs_pci_driver() - the bound driver's name; "" when none is, or on an error */
int sysfs_pci_driver(int sysfs, const char *bdf, char *ret, size_t size);

/**
 * sysfs_pci_unbind(), sysfs_pci_bind() - take a function from its driver, give it to one
 *
 * When they return, what the driver makes is gone, or is there as far as it makes it at once (drivers/base/bus.c).
 * A driver_override of the function counts. It is done by a child, which lives on and keeps the caller's locks when the
 * caller is killed.
 *
 * Return: 0; -ENODEV when it is not that driver's, or the driver does not take it; or what its probe returned.
 */
int sysfs_pci_unbind(int sysfs, const char *bdf, const char *driver);
int sysfs_pci_bind(int sysfs, const char *bdf, const char *driver);

/** sysfs_pci_pf() - the PF of a VF; -ENOENT when @bdf is no VF */
int sysfs_pci_pf(int sysfs, const char *bdf, char ret[PCI_ADDR_MAX]);

/** sysfs_pci_vf_index() - which of its PF's VFs is it (virtfnN)? -ENOENT when none is */
int sysfs_pci_vf_index(int sysfs, const char *pf, const char *bdf, uint32_t *ret);

/** sysfs_pci_netdev() - the function's network interface; -ENOENT when there is none, here */
int sysfs_pci_netdev(int sysfs, const char *bdf, char ret[IFNAMSIZ]);

/**
 * sysfs_pci_uplink() - the network interface of a PF itself
 *
 * In switchdev mode the VFs' representors stand beside it; the uplink is the one without a phys_port_name,
 * or with one of the form pN (net/core/devlink.c, __devlink_port_phys_port_name_get).
 */
int sysfs_pci_uplink(int sysfs, const char *pf, char ret[IFNAMSIZ]);

/**
 * sysfs_pci_lock() - lock a PCI function against other users of this project
 * @bdf: a VF, or a PF
 *
 * A flock on the function's directory in sysfs: it needs no file of ours, so it can neither be left over,
 * nor be missing on a full or read-only disk, and it ends with its holder.
 *
 * Return: as lock_take(); -ENOENT when there is no such function.
 *
 * Delegates inherit it, so it lasts as long as whoever works for the call: a runtime that loses patience kills
 * its plugin only, and the IPAM plugin which that has started lives on, and would take an address after the
 * runtime's DEL, which comes at once, has released what there was. So that DEL waits for it.
 */
int sysfs_pci_lock(int sysfs, const char *bdf, unsigned int timeout_ms, struct err *e);
