/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of vf_converge(), each changing one part of a VF; for the files converge*.c only. */
#pragma once

#include "vf/converge.h"
#include "vf/observe.h"

struct converge {
	struct vf_site *site;
	const struct vf *vf;
	struct vf_state *now;
	const struct vf_state *want;
	unsigned int diff; /* fields that differed when the step began */
	unsigned int touched; /* that differed at any step: one can undo what another has done */
	unsigned int fresh; /* parts that have not changed since they were read */
	enum vf_converge_mode mode;
};

/* A step does nothing when none of its fields differ. It keeps c->now as it is wherever a later step looks at it. */
typedef int step_fn(struct converge *c, struct err *e);

step_fn step_pf_settings, step_pf_mac; /* converge_pf.c */
step_fn step_link, step_altnames, step_flags; /* converge_link.c */
step_fn step_rdma_netns, step_rdma_names; /* converge_rdma.c */
step_fn step_guids; /* converge_ib.c */

/** step_observe() - vf_observe() into c->now, which is fresh then */
int step_observe(struct converge *c, unsigned int parts, struct err *e);

/** step_await_link() - wait, within a bound, for an interface that is being made anew */
int step_await_link(struct converge *c, struct err *e); /* converge_ib.c */

/** step_goes_on() - after a failure: on the way back the rest is still tried */
static inline bool step_goes_on(const struct converge *c)
{
	return c->mode == VF_RESTORE;
}

/** step_send_pf() - one message to the PF, under its lock; @fields are VF_PF_* */
int step_send_pf(struct converge *c, const struct vfinfo *info, unsigned int fields, struct err *e);
