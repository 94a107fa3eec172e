/* SPDX-License-Identifier: Apache-2.0 */
/* The namespace mode of the node's RDMA subsystem. */
#pragma once

#include "conf.h"
#include "vf/site.h"

/**
 * rdma_mode_ensure() - bring the RDMA subsystem into a mode, if it is in the other one
 *
 * The kernel switches only while no network namespace but init's exists, so at an ADD it is too late, unless
 * somebody did it before: "cni-sriov-rdma rdma-mode exclusive" at boot.
 *
 * Errors: code 100; on -EBUSY details tell how many namespaces exist, and how to make the mode permanent.
 */
int rdma_mode_ensure(struct netlink *rdma, bool exclusive, struct err *e);

/**
 * rdma_plan() - will the VF's RDMA devices move along? Prepares the mode for it.
 * @before: the VF's state
 * @ret_move: whether they are to be moved into the pod
 *
 * Errors: code 7 when a device is required and there is none, code 11 when one is in another namespace, or would be taken
 * away from a process that has it open, where the configuration forbids it.
 */
int rdma_plan(struct vf_site *site, const struct attach_conf *conf, const struct vf_state *before,
	      bool *ret_move, struct err *e);
