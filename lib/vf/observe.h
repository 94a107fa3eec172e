/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the state of a VF. */
#pragma once

#include "vf/site.h"
#include "vf/state.h"
#include "vf/vf.h"

/**
 * vf_observe() - read the state of a VF, or parts of it again
 * @parts: VF_LINK, VF_PF, VF_RDMA, VF_DRIVER or several: what is read; the rest of @state is kept
 * @state: in and out; zeroed before the first time
 *
 * An interface that is in neither namespace leaves VF_NETNS (VF_ELSEWHERE) as the only one of the link's
 * fields. A VF that is bound to a driver for user space, or to none, has none of them.
 */
int vf_observe(struct vf_site *site, const struct vf *vf, unsigned int parts,
	       struct vf_state *state, struct err *e);
