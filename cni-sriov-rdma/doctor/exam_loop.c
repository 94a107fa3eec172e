/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reliable connection of a queue pair to itself: an RDMA write and a send through the device's whole data path, and
 * a look at every byte of it.
 */
#include "exam.h"

#include "base/clock.h"
#include "pattern.h"
#include "wait.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define LOOP_SIZE (64u << 10) /* several packets of any MTU */

/* Four areas: what is written from, written to, sent from, received into. */
enum { WRITE_FROM, WRITE_TO, SEND_FROM, SEND_TO, AREAS };

struct loop {
	struct exam *x;
	struct queue queue;
	struct ibv_qp *qp;
	uint8_t *memory;
	struct ibv_mr *mr;
};

static int loop_open(struct loop *l, struct err *e)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 2, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
		.sq_sig_all = 1,
	};
	int r;

	l->memory = mmap(NULL, LOOP_SIZE * AREAS, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (l->memory == MAP_FAILED)
		return err_set(e, CNI_ERR_IO, errno, "memory");
	l->mr = ibv_reg_mr(l->x->pd, l->memory, LOOP_SIZE * AREAS,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!l->mr)
		return err_set(e, CNI_ERR_KERNEL, errno, "ibv_reg_mr");
	r = queue_open(&l->queue, l->x->ctx, 4, e);
	if (r)
		return r;
	attr.send_cq = attr.recv_cq = l->queue.cq;
	l->qp = ibv_create_qp(l->x->pd, &attr);
	return l->qp ? 0 : err_set(e, CNI_ERR_KERNEL, errno, "ibv_create_qp");
}

static void loop_close(struct loop *l)
{
	if (l->qp)
		ibv_destroy_qp(l->qp);
	queue_close(&l->queue);
	if (l->mr)
		ibv_dereg_mr(l->mr);
	if (l->memory != MAP_FAILED)
		munmap(l->memory, LOOP_SIZE * AREAS);
}

static struct ibv_ah_attr own_address(const struct exam *x)
{
	struct ibv_ah_attr ah = { .port_num = TARGET_PORT, .dlid = x->port.lid };

	if (x->gid_index >= 0) {
		ah.is_global = 1;
		ah.grh.dgid = x->gid;
		ah.grh.sgid_index = (uint8_t)x->gid_index;
		ah.grh.hop_limit = 1;
	}
	return ah;
}

/* The states that a queue pair goes through to be connected, here to itself (IBTA 10.3.1). */
static int loop_connect(struct loop *l, struct err *e)
{
	struct ibv_qp_attr init = {
		.qp_state = IBV_QPS_INIT,
		.port_num = TARGET_PORT,
		.qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
	};
	struct ibv_qp_attr receive = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = l->x->port.active_mtu,
		.dest_qp_num = l->qp->qp_num,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12, /* 0.64 ms */
		.ah_attr = own_address(l->x),
	};
	struct ibv_qp_attr send = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 14, /* 67 ms */
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};
	int sys = ibv_modify_qp(
		l->qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);

	if (sys)
		return err_set(e, CNI_ERR_KERNEL, sys, "queue pair to INIT");
	sys = ibv_modify_qp(l->qp, &receive,
			    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				    IBV_QP_MIN_RNR_TIMER);
	if (sys)
		return err_set(e, CNI_ERR_KERNEL, sys, "queue pair to RTR, GID index %d",
			       l->x->gid_index);
	sys = ibv_modify_qp(l->qp, &send,
			    IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				    IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
	return sys ? err_set(e, CNI_ERR_KERNEL, sys, "queue pair to RTS") : 0;
}

static uint8_t *area(const struct loop *l, unsigned int n)
{
	return l->memory + (size_t)n * LOOP_SIZE;
}

static struct ibv_sge piece(const struct loop *l, unsigned int n)
{
	return (struct ibv_sge){ .addr = (uintptr_t)area(l, n),
				 .length = LOOP_SIZE,
				 .lkey = l->mr->lkey };
}

static int loop_post(struct loop *l, struct err *e)
{
	struct ibv_sge into = piece(l, SEND_TO), write_from = piece(l, WRITE_FROM),
		       send_from = piece(l, SEND_FROM);
	struct ibv_recv_wr receive = { .sg_list = &into, .num_sge = 1 }, *bad_receive;
	struct ibv_send_wr send = { .sg_list = &send_from, .num_sge = 1, .opcode = IBV_WR_SEND };
	struct ibv_send_wr write = {
		.next = &send,
		.sg_list = &write_from,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { .remote_addr = (uintptr_t)area(l, WRITE_TO), .rkey = l->mr->rkey },
	};
	struct ibv_send_wr *bad;
	int sys = ibv_post_recv(l->qp, &receive, &bad_receive);

	if (sys)
		return err_set(e, CNI_ERR_KERNEL, sys, "ibv_post_recv");
	sys = ibv_post_send(l->qp, &write, &bad);
	return sys ? err_set(e, CNI_ERR_KERNEL, sys, "ibv_post_send") : 0;
}

static int compare(const struct loop *l, unsigned int from, unsigned int to, const char *what,
		   struct err *e)
{
	ssize_t at = pattern_find_fault(area(l, to), LOOP_SIZE, from);

	if (at < 0)
		return 0;
	return err_set(e, CNI_ERR_STATE, 0, "%s of %u bytes: byte %zd is not what was sent", what,
		       LOOP_SIZE, at);
}

static int loop_transfer(struct loop *l, struct err *e)
{
	struct ibv_wc wc;
	int r;

	pattern_fill(area(l, WRITE_FROM), LOOP_SIZE, WRITE_FROM);
	pattern_fill(area(l, SEND_FROM), LOOP_SIZE, SEND_FROM);
	r = loop_post(l, e);
	for (unsigned int i = 0; !r && i < 3; i++) /* write, send, receive */
		r = queue_wait(&l->queue, l->x->deadline, "loop-back transfer", &wc, e);
	r = r ?: compare(l, WRITE_FROM, WRITE_TO, "RDMA write", e);
	return r ?: compare(l, SEND_FROM, SEND_TO, "send", e);
}

void exam_loop(struct exam *x, struct check *c)
{
	struct loop l = { .x = x, .memory = MAP_FAILED };
	struct err e;
	int r;

	check_wants(c, "RDMA write and send of %u bytes each, of a queue pair to itself",
		    LOOP_SIZE);
	check_from(c, "RC queue pair, GID index %d", x->gid_index);
	r = loop_open(&l, &e);
	r = r ?: loop_connect(&l, &e);
	r = r ?: loop_transfer(&l, &e);
	if (r) {
		check_fail_err(c, &e);
	} else {
		check_saw(c, "2 x %u bytes, verified", LOOP_SIZE);
		check_pass(c);
	}
	loop_close(&l);
}
