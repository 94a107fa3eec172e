/* SPDX-License-Identifier: Apache-2.0 */
#include "cm.h"

#include "base/clock.h"
#include "wait.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>

int cm_open(struct rdma_event_channel **ret, struct err *e)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();
	int r;

	if (!channel) {
		r = err_set(e, CNI_ERR_KERNEL, errno, "open the RDMA connection manager");
		err_details(e,
			    "is /dev/infiniband/rdma_cm there? It comes with the module rdma_ucm");
		return r;
	}
	r = fd_unblock(channel->fd, e);
	if (r)
		rdma_destroy_event_channel(channel);
	else
		*ret = channel;
	return r;
}

void cm_sockaddr(const struct inet_addr *a, uint16_t port, struct sockaddr_storage *ret)
{
	struct sockaddr_in *in = (struct sockaddr_in *)ret;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ret;

	memset(ret, 0, sizeof(*ret));
	if (a->family == AF_INET) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		memcpy(&in->sin_addr, a->bytes, 4);
	} else {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(port);
		memcpy(&in6->sin6_addr, a->bytes, 16);
	}
}

int cm_unexpected(const struct rdma_cm_event *event, const char *what, struct err *e)
{
	int sys = event->status < 0 ? -event->status : ECONNRESET;

	switch (event->event) {
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		err_set(e, CNI_ERR_KERNEL, ENODEV, "%s", what);
		err_details(e,
			    "the RDMA device was taken away: the pod's attachment is being undone");
		return -ENODEV;
	case RDMA_CM_EVENT_REJECTED: /* the status is the other side's reason, no errno (IBTA 12.6.7.2) */
		err_set(e, CNI_ERR_KERNEL, ECONNREFUSED, "%s", what);
		err_details(e, "is a server running at that address and port?");
		return -ECONNREFUSED;
	case RDMA_CM_EVENT_DISCONNECTED:
		err_set(e, CNI_ERR_KERNEL, ECONNRESET, "%s", what);
		err_details(e, "the peer ended the connection: it tells why");
		return -ECONNRESET;
	default:
		return err_set(e, CNI_ERR_KERNEL, sys, "%s: %s", what,
			       rdma_event_str(event->event));
	}
}

int cm_wait(struct rdma_event_channel *channel, enum rdma_cm_event_type want, uint64_t deadline,
	    const char *what, struct rdma_cm_event **ret, struct err *e)
{
	struct pollfd fd = { .fd = channel->fd, .events = POLLIN };
	struct rdma_cm_event *event;
	uint64_t now;
	int r;

	while (rdma_get_cm_event(channel, &event)) {
		if (errno != EAGAIN && errno != EINTR)
			return err_set(e, CNI_ERR_KERNEL, errno, "%s: rdma_get_cm_event", what);
		now = clock_ms();
		if (now >= deadline)
			return err_set(e, CNI_ERR_KERNEL, ETIMEDOUT, "%s", what);
		if (poll(&fd, 1, (int)(deadline - now)) < 0 && errno != EINTR)
			return err_set(e, CNI_ERR_IO, errno, "%s: poll", what);
	}
	if (event->event != want) {
		r = cm_unexpected(event, what, e);
		rdma_ack_cm_event(event);
		return r;
	}
	if (ret)
		*ret = event;
	else
		rdma_ack_cm_event(event);
	return 0;
}
