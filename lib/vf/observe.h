/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the state of a VF. */
#pragma once

#include "vf/site.h"
#include "vf/state.h"
#include "vf/vf.h"

/**
 * vf_observe() - read the state of a VF, or parts of it again
 * @parts: VF_LINK, VF_PF, VF_RDMA, VF_DRIVER or several: what is read; the rest of @state is kept
 * @state: in and out; zeroed before the first time, or as vf_expect() leaves it
 *
 * An interface that is in neither namespace leaves VF_NETNS (VF_ELSEWHERE) as the only one of the link's
 * fields. A VF that is bound to a driver for user space, or to none, has none of them.
 */
int vf_observe(struct vf_site *site, const struct vf *vf, unsigned int parts,
	       struct vf_state *state, struct err *e);

/** vf_expect() - say where a VF most likely is, in a zeroed state: that saves a look at sysfs, or a dump of a pod's links */
void vf_expect(struct vf_state *state, const struct vf_state *want);

/**
 * vf_observe_moved_rdma() - the RDMA devices of a state after a move, if they are where they are wanted
 *
 * By the kernel's index, which a device keeps through a move, and so without a walk of sysfs. The number of its verbs device
 * may have changed, and is not read.
 * Return: whether all are; if not, nothing is known of them, and vf_observe() tells.
 */
bool vf_observe_moved_rdma(struct vf_site *site, struct vf_state *state,
			   const struct vf_state *want);
