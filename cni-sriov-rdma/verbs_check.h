/* SPDX-License-Identifier: Apache-2.0 */
/* CHECK by verbs ("rdma": {"check": "verbs"}): cni-sriov-rdma-doctor tries what an application would do. */
#pragma once

#include "record.h"

/**
 * verbs_check() - let the doctor look at an attachment's RDMA devices; one without any passes
 * @now: the attachment's state
 *
 * The doctor is a program of its own, since it links the verbs libraries: beside this one, or in CNI_PATH.
 *
 * Errors: code 101 naming the check that failed, its reason in details; code 7 when there is no doctor; code 5 when it
 * could not be run, or did not end within its bound.
 */
int verbs_check(const struct cni_call *call, const struct record *record,
		const struct vf_state *now, struct err *e);

/** verbs_check_judge() - its end and its output to an outcome; apart from running it, so that it can be tested */
int verbs_check_judge(int status, const char *output, struct err *e);
