/* SPDX-License-Identifier: Apache-2.0 */
/* Making the state of a VF what it should be. */
#pragma once

#include "vf/site.h"
#include "vf/state.h"
#include "vf/vf.h"

/*
 * The longest wait for the RDMA subsystem's lock: until nobody else moves an RDMA device (some 20 ms) or binds a driver anew (a
 * few seconds), of which pods that start together can do many. A runtime waits two minutes and more.
 */
#define RDMA_LOCK_MS 60000

enum vf_converge_mode {
	VF_ATTACH, /* the first failure ends it: the caller goes back to the state before */
	VF_RESTORE, /* a field that fails does not keep the others from being restored */
};

/**
 * vf_converge() - change those fields of a VF that differ from the wanted ones, and no others
 * @now: the state as last observed; on return, success or not, as it then was
 * @want: want->fields says which fields count
 *
 * Works from any state in between, so it can be asked again after an interruption. What was set is read
 * back, within a bound: some drivers do it in their own time (iavf asks its PF for a MAC).
 *
 * Locks are taken in this order: the VF, by the caller; its PF, while what the PF grants is changed (i40e fails
 * when two ask at once); the node's RDMA subsystem, while a device moves, or a driver is bound anew, which includes
 * that GUIDs are set. Never the RDMA subsystem's while the PF's is held.
 *
 * Errors: code 100, naming VF, field and value; in VF_RESTORE mode the first of them.
 */
int vf_converge(struct vf_site *site, const struct vf *vf, struct vf_state *now,
		const struct vf_state *want, enum vf_converge_mode mode, struct err *e);

/**
 * vf_await_home() - wait, within a bound, for what a dying namespace sends home
 * @now: in and out; nothing is waited for unless a device is VF_ELSEWHERE
 */
int vf_await_home(struct vf_site *site, const struct vf *vf, struct vf_state *now, struct err *e);
