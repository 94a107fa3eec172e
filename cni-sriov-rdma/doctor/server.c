/* SPDX-License-Identifier: Apache-2.0 */
/* The server: lends memory to one client, and looks at what has arrived in it. */
#include "peer.h"

#include "base/cleanup.h"
#include "cm.h"
#include "pattern.h"

#include <errno.h>
#include <string.h>

struct server {
	struct peer peer;
	struct rdma_cm_id *listener;
	const struct target *targets;
	unsigned int count;
	struct wire_ask ask;
};

static int listen_for_client(struct server *s, struct check *c, struct err *e)
{
	const struct options *o = s->peer.o;
	const struct inet_addr any = { .family = AF_UNSPEC };
	struct sockaddr_storage address;
	int r;

	check_wants(c, "port %u is free", o->port);
	check_from(c, "rdma_listen");
	r = cm_open(&s->peer.events, e);
	if (r)
		return r;
	if (rdma_create_id(s->peer.events, &s->listener, NULL, RDMA_PS_TCP))
		return err_set(e, CNI_ERR_KERNEL, errno, "rdma_create_id");
	cm_sockaddr(&any, o->port, &address);
	if (rdma_bind_addr(s->listener, (struct sockaddr *)&address))
		return err_set(e, CNI_ERR_KERNEL, errno, "port %u", o->port);
	if (rdma_listen(s->listener, 1))
		return err_set(e, CNI_ERR_KERNEL, errno, "rdma_listen");
	check_saw(c, "port %u", o->port);
	fprintf(stderr, "listening at port %u, for %u s\n", o->port, o->wait);
	return 0;
}

/* Whoever comes first. What is wrong with him is told to him, too, by a rejection. */
static int judge_client(struct server *s, const struct rdma_cm_event *event, struct err *e)
{
	const struct rdma_conn_param *param = &event->param.conn;

	s->peer.id = event->id;
	if (wire_get_ask(param->private_data, param->private_data_len, &s->ask))
		return err_set(e, CNI_ERR_DECODE, EPROTO,
			       "the client is no cni-sriov-rdma-doctor of this version");
	if (!peer_is_target(s->peer.id->verbs, s->targets, s->count))
		return err_set(
			e, CNI_ERR_STATE, 0,
			"the client came by RDMA device %s, which is not the one that was chosen",
			ibv_get_device_name(s->peer.id->verbs->device));
	return 0;
}

static int accept_client(struct server *s, struct err *e)
{
	struct wire_grant grant;
	uint8_t text[WIRE_MAX];
	struct rdma_conn_param param = { .private_data = text, .rnr_retry_count = 7 };
	int r = peer_open(&s->peer, &s->ask, e);

	r = r ?: peer_expect_note(&s->peer, e);
	if (r)
		return r;
	grant = (struct wire_grant){ .addr = (uintptr_t)s->peer.memory, .rkey = s->peer.mr->rkey };
	param.private_data_len = (uint8_t)wire_put_grant(text, &grant);
	if (rdma_accept(s->peer.id, &param))
		return err_set(e, CNI_ERR_KERNEL, errno, "rdma_accept");
	return cm_wait(s->peer.events, RDMA_CM_EVENT_ESTABLISHED, peer_seconds(s->peer.o->timeout),
		       "the connection with the client", NULL, e);
}

static int await_client(struct server *s, struct check *c, struct err *e)
{
	const struct options *o = s->peer.o;
	struct rdma_cm_event *event;
	int r;

	check_wants(c, "a client within %u s", o->wait);
	check_from(c, "rdma_accept");
	r = cm_wait(s->peer.events, RDMA_CM_EVENT_CONNECT_REQUEST, peer_seconds(o->wait),
		    "wait for a client", &event, e);
	if (r)
		return r;
	r = judge_client(s, event, e);
	rdma_ack_cm_event(event);
	if (!r)
		r = accept_client(s, e);
	else
		rdma_reject(s->peer.id, NULL, 0);
	peer_subject(c, s->targets, s->count, s->peer.id->verbs);
	if (!r)
		check_saw(c, "a client for messages of %u bytes", s->ask.size);
	return r;
}

/* What is in the places that have been written to. */
static struct wire_verdict look(const struct server *s, uint64_t iterations)
{
	uint64_t places = iterations < s->ask.depth ? iterations : s->ask.depth;

	for (uint64_t i = 0; i < places; i++) {
		uint64_t place = i * s->ask.size;
		ssize_t at = pattern_find_fault(s->peer.memory + place, s->ask.size, i);

		if (at >= 0)
			return (struct wire_verdict){ .offset = place + (uint64_t)at };
	}
	return (struct wire_verdict){ .same = true };
}

/* What becomes of the verdict is the client's affair. */
static void tell_verdict(struct server *s, const struct wire_verdict *verdict)
{
	uint64_t deadline = peer_seconds(s->peer.o->timeout);
	uint8_t note[WIRE_MAX];
	struct err ignored;

	if (peer_post_note(&s->peer, note, wire_put_verdict(note, verdict), &ignored))
		return;
	if (!peer_await(&s->peer, 1, 0, deadline, "the verdict", &ignored))
		cm_wait(s->peer.events, RDMA_CM_EVENT_DISCONNECTED, deadline, "the end", NULL,
			&ignored);
}

static int judge_data(struct server *s, struct check *c, struct err *e)
{
	struct wire_verdict verdict;
	struct wire_done done;
	int r;

	check_wants(c, "what the client has written is in this memory");
	check_from(c, "memory of %u x %u bytes", s->ask.depth, s->ask.size);
	r = peer_await(&s->peer, 0, 1, peer_seconds(s->ask.seconds + 2 * s->peer.o->timeout),
		       "the client's writes", e);
	if (r)
		return r;
	if (wire_get_done(peer_note(&s->peer), WIRE_MAX, &done) || !done.iterations)
		return err_set(e, CNI_ERR_DECODE, EPROTO, "the client's message");
	verdict = look(s, done.iterations);
	tell_verdict(s, &verdict);
	if (!verdict.same)
		return err_set(e, CNI_ERR_STATE, 0, "byte %llu is not what the client has written",
			       (unsigned long long)verdict.offset);
	check_saw(c, "%llu x %u bytes, verified", (unsigned long long)done.iterations, s->ask.size);
	return 0;
}

static const struct {
	const char *id;
	unsigned int area;
	int (*run)(struct server *s, struct check *c, struct err *e);
} steps[] = {
	{ "listen", AREA_CONNECTIVITY, listen_for_client },
	{ "connect", AREA_CONNECTIVITY, await_client },
	{ "data", AREA_CONNECTIVITY, judge_data },
};

void server_run(const struct options *o, const struct target *targets, unsigned int count,
		struct report *r)
{
	struct server s = { .peer = { .o = o }, .targets = targets, .count = count };
	struct rdma_cm_id *listener;
	const char *failed = NULL;

	for (size_t i = 0; i < array_size(steps); i++) {
		struct check *c = report_add(r, steps[i].id, steps[i].area);
		struct err e;

		if (s.peer.id)
			peer_subject(c, targets, count, s.peer.id->verbs);
		if (failed) {
			check_unread(c, "it needs check %s, which failed", failed);
		} else if (steps[i].run(&s, c, &e)) {
			check_fail_err(c, &e);
			failed = steps[i].id;
		} else {
			check_pass(c);
		}
	}
	listener = s.listener;
	if (listener) /* before its channel */
		rdma_destroy_id(listener);
	peer_close(&s.peer);
}
