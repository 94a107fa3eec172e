/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for an RDMA device, and no longer than until a deadline: completions and connection events arrive on
 * descriptors, and so does the news that the device is gone, when its pod is taken apart.
 */
#pragma once

#include "base/err.h"

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdint.h>

/* A completion queue with what wakes its waiter. */
struct queue {
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct rdma_event_channel *events; /* a connection's, NULL = none: an event ends the wait */
};

/** queue_open() - make a queue of a device; @depth: how many completions it has room for */
int queue_open(struct queue *ret, struct ibv_context *ctx, int depth, struct err *e);
void queue_close(struct queue *q);

/**
 * queue_wait() - the next completion
 * @deadline: of clock_ms()
 * @what: for messages: what is waited for
 *
 * Errors: -ETIMEDOUT; -ENODEV when the device is gone; -ECONNRESET when the connection ends; -EIO for a completion
 * that tells of a failure, with its reason.
 */
int queue_wait(struct queue *q, uint64_t deadline, const char *what, struct ibv_wc *ret,
	       struct err *e);

/** fd_unblock() - let a descriptor of a library be polled */
int fd_unblock(int fd, struct err *e);
