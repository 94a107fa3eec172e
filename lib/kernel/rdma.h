/* SPDX-License-Identifier: Apache-2.0 */
/* The RDMA subsystem by RDMA netlink (drivers/infiniband/core/nldev.c): its namespace mode, its devices. */
#pragma once

#include "kernel/netlink.h"

#include <stdbool.h>
#include <stdint.h>

#define RDMA_NAME_MAX 64 /* IB_DEVICE_NAME_MAX */

/**
 * rdma_mode_get() - is the subsystem in exclusive mode, where a device belongs to one namespace?
 * Return: 0, or a negative errno; -EOPNOTSUPP or -EINVAL come from kernels before 5.2.
 */
int rdma_mode_get(struct netlink *nl, bool *ret_exclusive);

/**
 * rdma_mode_set() - switch the mode
 * Return: 0; -EBUSY while another network namespace than init's exists.
 */
int rdma_mode_set(struct netlink *nl, bool exclusive);

struct rdma_dev {
	uint32_t index; /* as long as the device lives, whatever its name and namespace */
	uint64_t node_guid;
	char name[RDMA_NAME_MAX];
};

/**
 * rdma_dev_find() - look a device up by name, among those that the socket's namespace sees
 * @hint: an index that it may have, or -1
 *
 * The kernel looks devices up by index only, so when the hint is wrong this dumps all that there are.
 * Return: 0, -ENODEV, or another negative errno.
 */
int rdma_dev_find(struct netlink *nl, const char *name, int64_t hint, struct rdma_dev *ret);

/** rdma_dev_get() - a device by its index; -ENODEV (older kernels: -EINVAL) when the socket's namespace does not see it */
int rdma_dev_get(struct netlink *nl, uint32_t index, struct rdma_dev *ret);

/**
 * rdma_dev_list() - the devices that the socket's namespace sees
 * @ret: room for @max
 * Return: how many there are, which may be more than @max, or a negative errno.
 */
int rdma_dev_list(struct netlink *nl, struct rdma_dev *ret, unsigned int max);

/**
 * rdma_port_netdev() - the network interface of a device's port
 * @index: of the device
 * @port: from 1
 * Return: 0; -ENODEV when it has none, or one of another namespace than the socket's; or another negative errno.
 */
int rdma_port_netdev(struct netlink *nl, uint32_t index, uint32_t port, int *ret_ifindex);

/**
 * rdma_dev_user() - a process that has a device open
 * @ret_pid: 0 for one of another PID namespace than this process's
 * Return: 0; -ENOENT when none has it open; or another negative errno.
 */
int rdma_dev_user(struct netlink *nl, uint32_t index, uint32_t *ret_pid);

/**
 * rdma_dev_move() - move a device to another namespace, in exclusive mode
 * @nl: a socket of the namespace that the device is in; the calling thread must be there, too
 *
 * By index and alone: with a name in the same message the kernel renames, drops the move, and says ok.
 *
 * Return: 0; -EOPNOTSUPP when the driver can't (no disassociate_ucontext) or the mode is shared.
 */
int rdma_dev_move(struct netlink *nl, uint32_t index, int ns);

/** rdma_dev_rename() - names are unique in the whole system, whatever the namespace (-EEXIST) */
int rdma_dev_rename(struct netlink *nl, uint32_t index, const char *name);
