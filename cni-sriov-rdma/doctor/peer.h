/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection between two doctors, by rdma_cm: what client and server have in common. The client writes into the
 * server's memory, tells what it has written, and the server says whether that arrived; see wire.h.
 */
#pragma once

#include "report.h"
#include "target.h"
#include "wait.h"
#include "wire.h"

struct peer {
	const struct options *o;
	struct rdma_event_channel *events;
	struct rdma_cm_id *id; /* of the connection */
	struct ibv_pd *pd;
	struct queue queue;
	size_t len; /* of the memory: depth × size */
	uint8_t *memory;
	struct ibv_mr *mr;
	uint8_t *notes; /* two places for messages, the second is the other's */
	struct ibv_mr *notes_mr;
	bool has_qp;
};

#define PEER_NONE \
	{         \
		0 \
	}

/** peer_seconds() - a deadline so many seconds from now */
uint64_t peer_seconds(uint32_t seconds);

/** peer_open() - memory and a queue pair for the connection that peer->id will be; its device is known */
int peer_open(struct peer *p, const struct wire_ask *ask, struct err *e);

/** peer_close() - end the connection, and free all */
void peer_close(struct peer *p);

/** peer_expect_note() - have a place ready for the other's message; before the connection is made */
int peer_expect_note(struct peer *p, struct err *e);

/** peer_note() - where the other's message is, when it has arrived */
const uint8_t *peer_note(const struct peer *p);

/** peer_post_note() - send a message, which begins with @note; peer_await() tells when it has left */
int peer_post_note(struct peer *p, const uint8_t *note, size_t len, struct err *e);

/** peer_await() - wait for so many things sent, and so many received, in any order; errors as queue_wait() */
int peer_await(struct peer *p, unsigned int sent, unsigned int received, uint64_t deadline,
	       const char *what, struct err *e);

/** peer_is_target() - is a device one of those that were chosen? All are, if none was. */
bool peer_is_target(struct ibv_context *ctx, const struct target *targets, unsigned int count);

/** peer_subject() - put a device's name, and what is known of it, into a check */
void peer_subject(struct check *c, const struct target *targets, unsigned int count,
		  struct ibv_context *ctx);

/*
 * client_run(), server_run() - the whole of it: checks in the report
 * @targets: the devices that were chosen, @count 0 = any
 */
void client_run(const struct options *o, const struct target *targets, unsigned int count,
		struct report *r);
void server_run(const struct options *o, const struct target *targets, unsigned int count,
		struct report *r);
