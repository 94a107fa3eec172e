/* SPDX-License-Identifier: Apache-2.0 */
#include "wait.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "cm.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>

int fd_unblock(int fd, struct err *e)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK))
		return err_set(e, CNI_ERR_IO, errno, "prepare a descriptor for poll");
	return 0;
}

int queue_open(struct queue *ret, struct ibv_context *ctx, int depth, struct err *e)
{
	struct queue q = { 0 };
	int r = fd_unblock(ctx->async_fd, e);

	if (r)
		return r;
	q.channel = ibv_create_comp_channel(ctx);
	if (!q.channel)
		return err_set(e, CNI_ERR_KERNEL, errno, "ibv_create_comp_channel");
	r = fd_unblock(q.channel->fd, e);
	if (!r) {
		q.cq = ibv_create_cq(ctx, depth, NULL, q.channel, 0);
		if (!q.cq)
			r = err_set(e, CNI_ERR_KERNEL, errno, "ibv_create_cq");
	}
	if (r)
		queue_close(&q);
	else
		*ret = q;
	return r;
}

void queue_close(struct queue *q)
{
	if (q->cq)
		ibv_destroy_cq(q->cq);
	if (q->channel)
		ibv_destroy_comp_channel(q->channel);
	*q = (struct queue){ 0 };
}

/* The device tells of its end by an event, or by an error on its descriptor when that is cut off already. */
static bool is_gone(struct ibv_context *ctx, short revents)
{
	struct ibv_async_event event;
	bool fatal = false;

	if (revents & (POLLERR | POLLHUP | POLLNVAL))
		return true;
	while (revents && !ibv_get_async_event(ctx, &event)) {
		fatal |= event.event_type == IBV_EVENT_DEVICE_FATAL;
		ibv_ack_async_event(&event);
	}
	return fatal;
}

static int judge(const struct ibv_wc *wc, const char *what, struct err *e)
{
	if (wc->status == IBV_WC_SUCCESS)
		return 0;
	err_set(e, CNI_ERR_KERNEL, EIO, "%s: %s", what, ibv_wc_status_str(wc->status));
	if (wc->status == IBV_WC_RETRY_EXC_ERR)
		err_details(
			e,
			"no answer: is the peer still there, and does the network between pass UDP port "
			"4791 and packets of this MTU?");
	return -EIO;
}

static int connection_event(const struct queue *q, const char *what, struct err *e)
{
	struct rdma_cm_event *event;
	int r;

	if (rdma_get_cm_event(q->events, &event))
		return errno == EAGAIN
			       ? 0
			       : err_set(e, CNI_ERR_KERNEL, errno, "%s: rdma_get_cm_event", what);
	r = cm_unexpected(event, what, e);
	rdma_ack_cm_event(event);
	return r;
}

/* Sleep until something happens; what it is comes out at the next look. */
static int sleep_until(struct queue *q, uint64_t deadline, const char *what, struct err *e)
{
	struct ibv_context *ctx = q->cq->context;
	struct pollfd fds[] = {
		{ .fd = q->channel->fd, .events = POLLIN },
		{ .fd = ctx->async_fd, .events = POLLIN },
		{ .fd = q->events ? q->events->fd : -1, .events = POLLIN },
	};
	uint64_t now = clock_ms();
	struct ibv_cq *cq;
	void *arg;

	if (now >= deadline)
		return err_set(e, CNI_ERR_KERNEL, ETIMEDOUT, "%s", what);
	if (poll(fds, array_size(fds), (int)(deadline - now)) < 0 && errno != EINTR)
		return err_set(e, CNI_ERR_IO, errno, "%s: poll", what);
	if (is_gone(ctx, fds[1].revents) || fds[0].revents & (POLLERR | POLLHUP)) {
		err_set(e, CNI_ERR_KERNEL, ENODEV, "%s", what);
		err_details(e,
			    "the RDMA device was taken away: the pod's attachment is being undone");
		return -ENODEV;
	}
	if (fds[0].revents && !ibv_get_cq_event(q->channel, &cq, &arg))
		ibv_ack_cq_events(cq, 1);
	/* the last completions may have come with the connection's end */
	return fds[2].revents && !fds[0].revents ? connection_event(q, what, e) : 0;
}

int queue_wait(struct queue *q, uint64_t deadline, const char *what, struct ibv_wc *ret,
	       struct err *e)
{
	int n, r = 0;

	while (!r) {
		n = ibv_poll_cq(q->cq, 1, ret);
		if (!n && !ibv_req_notify_cq(q->cq, 0))
			n = ibv_poll_cq(q->cq, 1, ret); /* it may have come before the request */
		if (n > 0)
			return judge(ret, what, e);
		if (n < 0)
			return err_set(e, CNI_ERR_KERNEL, EIO, "%s: ibv_poll_cq", what);
		r = sleep_until(q, deadline, what, e);
	}
	return r;
}
