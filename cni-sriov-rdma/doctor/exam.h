/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one RDMA device can do by itself. A check is a function and a line in the table in exam.c, which says whose
 * success it builds on; it finds in the exam what they have left there.
 */
#pragma once

#include "target.h"

#include <infiniband/verbs.h>

struct exam {
	const struct target *t;
	uint64_t deadline; /* of clock_ms(), for everything that waits */
	struct ibv_context *ctx; /* since "open" */
	struct ibv_pd *pd; /* since "memory" */
	struct ibv_port_attr port; /* since "port", if that could be read */
	int gid_index; /* since "gid": one to use, -1 = none (InfiniBand, by LID) */
	union ibv_gid gid;
};

typedef void exam_fn(struct exam *x, struct check *c);

exam_fn exam_cm, exam_loop;

/** exam_run() - check one device: a list of checks in the report */
void exam_run(const struct target *t, uint64_t deadline, struct report *r);
