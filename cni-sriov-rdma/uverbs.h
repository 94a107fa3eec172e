/* SPDX-License-Identifier: Apache-2.0 */
/* Is a pod's /dev/infiniband/uverbsN still that of its RDMA device? */
#pragma once

#include "conf.h"

/**
 * uverbs_check() - compare the numbers of a VF's verbs devices before and after a move
 * @policy: whether another number is an error (code 100) or a warning in the log
 *
 * A device plugin has already given the pod /dev/infiniband/uverbsN. The kernel numbers anew at each move, with the
 * lowest free number (drivers/infiniband/core/uverbs_main.c), so another one can come out when a lower one is free.
 */
int uverbs_check(const struct vf_state *before, const struct vf_state *now,
		 enum fault_policy policy, struct err *e);
