/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/netlink.h"

#include "base/cleanup.h"
#include "kernel/netns.h"

#include <errno.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>

static int netlink_connect(struct netlink *nl, int protocol, struct err *e)
{
	int on = 1, r;

	nl->sock = nl_socket_alloc();
	if (!nl->sock)
		return err_set(e, CNI_ERR_KERNEL, ENOMEM, "netlink socket");
	r = nl_connect(nl->sock, protocol);
	if (r) {
		/* ENOPROTOOPT and the like are lost in libnl's own codes; errno still has them */
		err_set(e, CNI_ERR_KERNEL, errno ? errno : EIO, "netlink socket, protocol %d",
			protocol);
		netlink_close(nl);
		return -e->sys;
	}
	nl_socket_disable_auto_ack(
		nl->sock); /* what is answered needs none: see netlink_request() */
	/* best effort: older kernels have no extended acknowledgement */
	setsockopt(nl_socket_get_fd(nl->sock), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(nl_socket_get_fd(nl->sock), SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	return 0;
}

uint64_t netlink_netns_cookie(const struct netlink *nl)
{
	uint64_t cookie = 0;
	socklen_t size = sizeof(cookie);

	if (!nl->sock ||
	    getsockopt(nl_socket_get_fd(nl->sock), SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size))
		return 0;
	return cookie;
}

int netlink_open(struct netlink *ret, int protocol, int ns, int own_ns, struct err *e)
{
	struct netlink nl = { 0 };
	struct err back;
	int r;

	if (ns < 0) {
		r = netlink_connect(&nl, protocol, e);
	} else {
		r = netns_enter(ns, e);
		if (r)
			return r;
		r = netlink_connect(&nl, protocol, e);
		if (netns_enter(own_ns, &back)) {
			netlink_close(&nl);
			*e = back;
			return -back.sys;
		}
	}
	if (!r)
		*ret = nl;
	return r;
}

void netlink_close(struct netlink *nl)
{
	nl_socket_free(nl->sock);
	nl->sock = NULL;
}

/*
 * Room for the longest message, a link with name, alias and alternative name. libnl's own default is a page, which it
 * zeroes each time.
 */
#define MSG_SIZE 1024

struct nl_msg *netlink_msg(uint16_t type, int flags, const void *header, size_t header_len)
{
	struct nl_msg *msg = nlmsg_alloc_size(MSG_SIZE);

	if (!msg)
		return NULL;
	if (!nlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, type, 0, flags) ||
	    (header_len &&
	     nlmsg_append(msg, (void *)(uintptr_t)header, header_len, NLMSG_ALIGNTO))) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

/* Keep the text of NLMSGERR_ATTR_MSG (include/uapi/linux/netlink.h). */
static void keep_ack_text(struct netlink *nl, struct nlmsghdr *h)
{
	const struct nlmsgerr *error = nlmsg_data(h);
	int skip = (int)sizeof(*error);
	struct nlattr *text;

	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(h->nlmsg_flags & NLM_F_CAPPED))
		skip += (int)NLMSG_ALIGN(error->msg.nlmsg_len - NLMSG_HDRLEN);
	if (nlmsg_datalen(h) <= skip)
		return;
	text = nla_find((struct nlattr *)((char *)nlmsg_data(h) + skip), nlmsg_datalen(h) - skip,
			NLMSGERR_ATTR_MSG);
	if (text)
		nla_strlcpy(nl->ack, text, sizeof(nl->ack));
}

/*
 * Read one datagram of the answer.
 * Return: 1 when the answer is complete, 0 when more is to come, or a negative errno.
 */
static int netlink_receive(struct netlink *nl, uint32_t seq, netlink_reply_fn *fn, void *arg)
{
	auto_free unsigned char *buf = NULL;
	struct sockaddr_nl from;
	int len, r;

	errno = 0;
	len = nl_recv(nl->sock, &from, &buf,
		      NULL); /* sized by MSG_PEEK|MSG_TRUNC: a PF's VF list is long */
	if (len <= 0)
		return errno ? -errno : -EIO;
	for (struct nlmsghdr *h = (struct nlmsghdr *)(void *)buf; nlmsg_ok(h, len);
	     h = nlmsg_next(h, &len)) {
		if (h->nlmsg_seq != seq)
			continue;
		if (h->nlmsg_flags & NLM_F_DUMP_INTR)
			return -EAGAIN;
		if (h->nlmsg_type == NLMSG_DONE)
			return 1;
		if (h->nlmsg_type == NLMSG_ERROR) {
			const struct nlmsgerr *error = nlmsg_data(h);

			if (nlmsg_datalen(h) < (int)sizeof(*error))
				return -EBADMSG;
			if (!error->error)
				return 1;
			keep_ack_text(nl, h);
			return error->error;
		}
		r = fn ? fn(h, arg) : 0;
		if (r)
			return r;
		if (!(h->nlmsg_flags & NLM_F_MULTI))
			return 1;
	}
	return 0;
}

int netlink_request(struct netlink *nl, struct nl_msg *msg, netlink_reply_fn *fn, void *arg)
{
	uint32_t seq;
	int r;

	nl->ack[0] = '\0';
	if (!msg)
		return -ENOMEM;
	if (!fn)
		nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_ACK;
	errno = 0;
	r = nl_send_auto(nl->sock, msg);
	seq = nlmsg_hdr(msg)->nlmsg_seq;
	nlmsg_free(msg);
	if (r < 0)
		return errno ? -errno : -EIO;
	do {
		r = netlink_receive(nl, seq, fn, arg);
	} while (!r);
	return r > 0 ? 0 : r;
}

int netlink_err(const struct netlink *nl, struct err *e, int sys, const char *fmt, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	err_set(e, CNI_ERR_KERNEL, sys, "%s", what);
	if (nl->ack[0])
		err_details(e, "kernel: %s", nl->ack);
	return -e->sys;
}
