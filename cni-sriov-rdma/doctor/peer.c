/* SPDX-License-Identifier: Apache-2.0 */
#include "peer.h"

#include "base/clock.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* One to send from, one to receive into. */
#define NOTES ((size_t)2 * WIRE_MAX)

uint64_t peer_seconds(uint32_t seconds)
{
	return clock_ms() + (uint64_t)seconds * 1000;
}

static int get_memory(struct peer *p, struct err *e)
{
	p->memory = mmap(NULL, p->len + NOTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	if (p->memory == MAP_FAILED) {
		p->memory = NULL;
		return err_set(e, CNI_ERR_IO, errno, "%zu bytes of memory", p->len);
	}
	p->notes = p->memory + p->len;
	return 0;
}

int peer_open(struct peer *p, const struct wire_ask *ask, struct err *e)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = WIRE_DEPTH_MAX + 1,
			 .max_recv_wr = 1,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.sq_sig_all = 1,
	};
	int r;

	p->len = (size_t)ask->size * ask->depth;
	r = get_memory(p, e);
	if (r)
		return r;
	p->pd = ibv_alloc_pd(p->id->verbs);
	if (!p->pd)
		return err_set(e, CNI_ERR_KERNEL, errno, "ibv_alloc_pd");
	p->mr = ibv_reg_mr(p->pd, p->memory, p->len,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	p->notes_mr = p->mr ? ibv_reg_mr(p->pd, p->notes, NOTES, IBV_ACCESS_LOCAL_WRITE) : NULL;
	if (!p->notes_mr) {
		err_set(e, CNI_ERR_KERNEL, errno, "ibv_reg_mr of %zu bytes", p->len);
		if (e->sys == ENOMEM)
			err_details(e, "the limit of locked memory (ulimit -l) is too low");
		return -e->sys;
	}
	r = queue_open(&p->queue, p->id->verbs, WIRE_DEPTH_MAX + 2, e);
	if (r)
		return r;
	p->queue.events = p->events;
	attr.send_cq = attr.recv_cq = p->queue.cq;
	if (rdma_create_qp(p->id, p->pd, &attr))
		return err_set(e, CNI_ERR_KERNEL, errno, "rdma_create_qp");
	p->has_qp = true;
	return 0;
}

void peer_close(struct peer *p)
{
	if (p->has_qp) {
		rdma_disconnect(p->id);
		rdma_destroy_qp(p->id);
	}
	queue_close(&p->queue);
	if (p->notes_mr)
		ibv_dereg_mr(p->notes_mr);
	if (p->mr)
		ibv_dereg_mr(p->mr);
	if (p->memory)
		munmap(p->memory, p->len + NOTES);
	if (p->pd)
		ibv_dealloc_pd(p->pd);
	if (p->id)
		rdma_destroy_id(p->id);
	if (p->events)
		rdma_destroy_event_channel(p->events);
	*p = (struct peer)PEER_NONE;
}

int peer_expect_note(struct peer *p, struct err *e)
{
	struct ibv_sge to = { .addr = (uintptr_t)p->notes + WIRE_MAX,
			      .length = WIRE_MAX,
			      .lkey = p->notes_mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &to, .num_sge = 1 }, *bad;
	int sys = ibv_post_recv(p->id->qp, &wr, &bad);

	return sys ? err_set(e, CNI_ERR_KERNEL, sys, "ibv_post_recv") : 0;
}

const uint8_t *peer_note(const struct peer *p)
{
	return p->notes + WIRE_MAX;
}

int peer_post_note(struct peer *p, const uint8_t *note, size_t len, struct err *e)
{
	struct ibv_sge from = { .addr = (uintptr_t)p->notes,
				.length = WIRE_MAX,
				.lkey = p->notes_mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &from, .num_sge = 1, .opcode = IBV_WR_SEND }, *bad;
	int sys;

	memset(p->notes, 0, WIRE_MAX);
	memcpy(p->notes, note, len);
	sys = ibv_post_send(p->id->qp, &wr, &bad);
	return sys ? err_set(e, CNI_ERR_KERNEL, sys, "ibv_post_send") : 0;
}

int peer_await(struct peer *p, unsigned int sent, unsigned int received, uint64_t deadline,
	       const char *what, struct err *e)
{
	struct ibv_wc wc;
	int r = 0;

	while (!r && (sent || received)) {
		r = queue_wait(&p->queue, deadline, what, &wc, e);
		if (!r && (wc.opcode & IBV_WC_RECV ? !received-- : !sent--))
			r = err_set(e, CNI_ERR_KERNEL, EPROTO, "%s", what);
	}
	return r;
}

static const struct target *find_target(struct ibv_context *ctx, const struct target *targets,
					unsigned int count)
{
	for (unsigned int i = 0; ctx && i < count; i++)
		if (!strcmp(targets[i].rdma.name, ibv_get_device_name(ctx->device)))
			return &targets[i];
	return NULL;
}

bool peer_is_target(struct ibv_context *ctx, const struct target *targets, unsigned int count)
{
	return !count || find_target(ctx, targets, count);
}

void peer_subject(struct check *c, const struct target *targets, unsigned int count,
		  struct ibv_context *ctx)
{
	const struct target *t = find_target(ctx, targets, count);

	if (ctx)
		snprintf(c->device, sizeof(c->device), "%s", ibv_get_device_name(ctx->device));
	if (!t)
		return;
	snprintf(c->bdf, sizeof(c->bdf), "%s", t->bdf);
	snprintf(c->ifname, sizeof(c->ifname), "%s", t->link.name);
}
