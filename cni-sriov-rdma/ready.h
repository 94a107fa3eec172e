/* SPDX-License-Identifier: Apache-2.0 */
/* Can the pod use its RDMA devices? Ready means: the port is active, and each address has its GID. */
#pragma once

#include "cni/result.h"
#include "vf/site.h"
#include "vf/state.h"

/**
 * ready_await() - wait until the RDMA devices of an attachment are ready
 * @now: its state
 * @result: its addresses
 * @timeout_ms: the bound
 * @ret_report: what was found, for the record: an array of devices with state, active MTU and GID indexes; a new
 *              reference, also when it is not ready
 *
 * InfiniBand's GIDs do not follow from addresses: there the port's state is all.
 *
 * Errors: -ETIMEDOUT (code 100), naming what is missing and what to look at.
 */
int ready_await(struct vf_site *site, const struct vf_state *now, const struct cni_result *result,
		unsigned int timeout_ms, json_t **ret_report, struct err *e);
