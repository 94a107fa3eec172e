/* SPDX-License-Identifier: Apache-2.0 */
/* The RDMA connection manager, with a bound for each wait. */
#pragma once

#include "base/err.h"
#include "base/inet.h"

#include <rdma/rdma_cma.h>
#include <stdint.h>

/** cm_open() - a channel for events; needs /dev/infiniband/rdma_cm */
int cm_open(struct rdma_event_channel **ret, struct err *e);

/** cm_sockaddr() - an address as rdmacm takes it; AF_UNSPEC: any of either family */
void cm_sockaddr(const struct inet_addr *a, uint16_t port, struct sockaddr_storage *ret);

/**
 * cm_wait() - wait for one event
 * @want: another one is an error that names it
 * @ret: to be acknowledged by the caller; NULL = it is done here
 * Errors: -ETIMEDOUT; -ENODEV when the device is removed; -ECONNREFUSED; -ECONNRESET.
 */
int cm_wait(struct rdma_event_channel *channel, enum rdma_cm_event_type want, uint64_t deadline,
	    const char *what, struct rdma_cm_event **ret, struct err *e);

/** cm_unexpected() - the error that an event means for somebody who did not wait for it; the caller acknowledges it */
int cm_unexpected(const struct rdma_cm_event *event, const char *what, struct err *e);
