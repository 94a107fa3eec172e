/* SPDX-License-Identifier: Apache-2.0 */
/* The client: writes into the server's memory, as fast as it goes, and asks the server whether it has arrived. */
#include "peer.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "cm.h"
#include "pattern.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define TRY_MS 2000

struct client {
	struct peer peer;
	const struct target *targets;
	unsigned int count;
	struct wire_ask ask;
	struct wire_grant grant;
	uint64_t iterations; /* done */
};

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* The address to come from: one of the chosen device's, of the peer's family. */
static const struct inet_addr *find_source(const struct client *k)
{
	for (unsigned int i = 0; i < k->count; i++)
		for (unsigned int j = 0; j < k->targets[i].address_count; j++)
			if (k->targets[i].addresses[j].family == k->peer.o->peer.family)
				return &k->targets[i].addresses[j];
	return NULL;
}

/*
 * Again and again: the kernel gives a neighbour that does not answer up after three seconds, and then does not ask any
 * more (RFC 4861's probes, ARP alike); a carrier that has just come up takes longer.
 */
static int resolve_in_time(struct client *k, const struct inet_addr *source, struct err *e)
{
	const struct options *o = k->peer.o;
	uint64_t deadline = peer_seconds(o->timeout);
	struct sockaddr_storage from, to;
	int r;

	cm_sockaddr(&o->peer, o->port, &to);
	if (source)
		cm_sockaddr(source, 0, &from);
	do {
		if (rdma_resolve_addr(k->peer.id, source ? (struct sockaddr *)&from : NULL,
				      (struct sockaddr *)&to, TRY_MS))
			return err_set(e, CNI_ERR_KERNEL, errno, "resolve the peer's address");
		r = cm_wait(k->peer.events, RDMA_CM_EVENT_ADDR_RESOLVED, deadline,
			    "resolve the peer's address", NULL, e);
	} while (r == -ETIMEDOUT && clock_ms() < deadline);
	return r;
}

static int resolve_address(struct client *k, struct check *c, struct err *e)
{
	const struct options *o = k->peer.o;
	char text[INET_TEXT];
	const char *device;
	int r;

	check_wants(c, "the way to %s is by an RDMA device", inet_addr_format(&o->peer, text));
	check_from(c, "rdma_resolve_addr");
	r = cm_open(&k->peer.events, e);
	if (r)
		return r;
	if (rdma_create_id(k->peer.events, &k->peer.id, NULL, RDMA_PS_TCP))
		return err_set(e, CNI_ERR_KERNEL, errno, "rdma_create_id");
	r = resolve_in_time(k, find_source(k), e);
	if (r)
		return r;
	device = ibv_get_device_name(k->peer.id->verbs->device);
	peer_subject(c, k->targets, k->count, k->peer.id->verbs);
	check_saw(c, "%s", device);
	if (!peer_is_target(k->peer.id->verbs, k->targets, k->count))
		return err_set(e, CNI_ERR_STATE, 0,
			       "the way to %s is by RDMA device %s, which is not the chosen one",
			       text, device);
	return 0;
}

static int resolve_route(struct client *k, struct check *c, struct err *e)
{
	uint32_t timeout = k->peer.o->timeout;

	check_wants(c, "a path to the peer");
	check_from(c, "rdma_resolve_route");
	if (rdma_resolve_route(k->peer.id, (int)timeout * 1000))
		return err_set(e, CNI_ERR_KERNEL, errno, "rdma_resolve_route");
	return cm_wait(k->peer.events, RDMA_CM_EVENT_ROUTE_RESOLVED, peer_seconds(timeout),
		       "resolve the path to the peer", NULL, e);
}

static int take_grant(struct client *k, const struct rdma_conn_param *param, struct err *e)
{
	if (wire_get_grant(param->private_data, param->private_data_len, &k->grant))
		return err_set(e, CNI_ERR_DECODE, EPROTO,
			       "the peer is no cni-sriov-rdma-doctor of this version");
	return 0;
}

static int make_connection(struct client *k, struct check *c, struct err *e)
{
	uint32_t timeout = k->peer.o->timeout;
	struct rdma_cm_event *event;
	uint8_t ask[WIRE_MAX];
	struct rdma_conn_param param = {
		.private_data = ask,
		.private_data_len = (uint8_t)wire_put_ask(ask, &k->ask),
		.retry_count = 7,
		.rnr_retry_count = 7,
	};
	int r;

	check_wants(c, "a server at port %u", k->peer.o->port);
	check_from(c, "rdma_connect");
	r = peer_open(&k->peer, &k->ask, e);
	r = r ?: peer_expect_note(&k->peer, e);
	if (r)
		return r;
	if (rdma_connect(k->peer.id, &param))
		return err_set(e, CNI_ERR_KERNEL, errno, "rdma_connect");
	r = cm_wait(k->peer.events, RDMA_CM_EVENT_ESTABLISHED, peer_seconds(timeout),
		    "connect to the peer", &event, e);
	if (r)
		return r;
	r = take_grant(k, &event->param.conn, e);
	rdma_ack_cm_event(event);
	return r;
}

static int post_write(struct client *k, uint64_t n, struct err *e)
{
	uint64_t place = n % k->ask.depth * k->ask.size;
	struct ibv_sge from = { .addr = (uintptr_t)k->peer.memory + place,
				.length = k->ask.size,
				.lkey = k->peer.mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &from,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { .remote_addr = k->grant.addr + place, .rkey = k->grant.rkey },
	};
	int sys = ibv_post_send(k->peer.id->qp, &wr, &bad);

	return sys ? err_set(e, CNI_ERR_KERNEL, sys, "ibv_post_send") : 0;
}

/* As many at once as there are places; no new ones when the time is over. */
static int write_all(struct client *k, struct err *e)
{
	const struct options *o = k->peer.o;
	uint64_t end = peer_seconds(o->seconds), posted = 0;
	int r = 0;

	while (!r && k->iterations < o->iterations) {
		while (!r && posted < o->iterations && posted - k->iterations < k->ask.depth &&
		       clock_ms() < end) {
			r = post_write(k, posted, e);
			posted++;
		}
		if (r || posted == k->iterations)
			break;
		r = peer_await(&k->peer, 1, 0, peer_seconds(o->timeout),
			       "write to the peer's memory", e);
		if (!r)
			k->iterations++;
	}
	return r;
}

static int transfer(struct client *k, struct check *c, struct err *e)
{
	uint64_t start, us, bytes;
	double rate;
	int r;

	check_wants(c, "RDMA writes of %u bytes, %u or for %u s", k->ask.size,
		    k->peer.o->iterations, k->peer.o->seconds);
	check_from(c, "RC queue pair, %u writes under way", k->ask.depth);
	for (uint32_t i = 0; i < k->ask.depth; i++)
		pattern_fill(k->peer.memory + (size_t)i * k->ask.size, k->ask.size, i);
	start = now_us();
	r = write_all(k, e);
	us = now_us() - start;
	bytes = k->iterations * k->ask.size;
	rate = us ? (double)bytes * 8 / (double)us / 1000 : 0; /* Gbit/s */
	check_saw(c, "%llu x %u bytes in %.3f s: %.3f Gbit/s", (unsigned long long)k->iterations,
		  k->ask.size, (double)us / 1e6, rate);
	c->values = json_pack("{s:I, s:I, s:I, s:f, s:f}", "iterations", (json_int_t)k->iterations,
			      "size", (json_int_t)k->ask.size, "bytes", (json_int_t)bytes,
			      "seconds", (double)us / 1e6, "gbitPerSecond", rate);
	return r;
}

static int ask_verdict(struct client *k, struct check *c, struct err *e)
{
	const struct wire_done done = { .iterations = k->iterations };
	struct wire_verdict verdict;
	uint8_t note[WIRE_MAX];
	int r;

	check_wants(c, "the peer has in its memory what was written");
	check_from(c, "the peer");
	r = peer_post_note(&k->peer, note, wire_put_done(note, &done), e);
	r = r
		    ?: peer_await(&k->peer, 1, 1, peer_seconds(k->peer.o->timeout),
				  "the peer's answer", e);
	if (r)
		return r;
	if (wire_get_verdict(peer_note(&k->peer), WIRE_MAX, &verdict))
		return err_set(e, CNI_ERR_DECODE, EPROTO, "the peer's answer");
	if (!verdict.same)
		return err_set(e, CNI_ERR_STATE, 0,
			       "byte %llu of the peer's memory is not what was written",
			       (unsigned long long)verdict.offset);
	check_saw(c, "verified by the peer");
	return 0;
}

static const struct {
	const char *id;
	unsigned int area;
	int (*run)(struct client *k, struct check *c, struct err *e);
} steps[] = {
	{ "address", AREA_CONNECTIVITY, resolve_address },
	{ "route", AREA_CONNECTIVITY, resolve_route },
	{ "connect", AREA_CONNECTIVITY, make_connection },
	{ "transfer", AREA_PERFORMANCE, transfer },
	{ "data", AREA_CONNECTIVITY, ask_verdict },
};

static uint32_t depth_for(uint32_t size)
{
	uint32_t depth = TRANSFER_SIZE_MAX / size;

	return depth < WIRE_DEPTH_MAX ? depth : WIRE_DEPTH_MAX;
}

void client_run(const struct options *o, const struct target *targets, unsigned int count,
		struct report *r)
{
	struct client k = {
		.peer = { .o = o },
		.targets = targets,
		.count = count,
		.ask = { .size = o->size, .depth = depth_for(o->size), .seconds = o->seconds },
	};
	const char *failed = NULL;

	for (size_t i = 0; i < array_size(steps); i++) {
		struct check *c = report_add(r, steps[i].id, steps[i].area);
		struct err e;

		if (k.peer.id)
			peer_subject(c, targets, count, k.peer.id->verbs);
		if (failed) {
			check_unread(c, "it needs check %s, which failed", failed);
		} else if (steps[i].run(&k, c, &e)) {
			check_fail_err(c, &e);
			failed = steps[i].id;
		} else {
			check_pass(c);
		}
	}
	peer_close(&k.peer);
}
