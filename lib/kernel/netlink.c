/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/netlink.h"

#include "base/cleanup.h"
#include "kernel/netns.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>

/*
 * Sockets are plain ones, and libnl builds and reads the messages: its own sockets take nine system calls to open where
 * two do, ask for the length of each answer before they read it, and lose the errno.
 */
static int netlink_connect(struct netlink *nl, int protocol, struct err *e)
{
	int on = 1;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);

	if (fd < 0)
		return err_set(e, CNI_ERR_KERNEL, errno, "netlink socket, protocol %d", protocol);
	if (!fd) { /* which would stand for none */
		close(fd);
		return err_set(e, CNI_ERR_KERNEL, EBADF, "standard input is closed");
	}
	/* best effort: older kernels have no extended acknowledgement */
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	*nl = (struct netlink){ .fd = fd };
	return 0;
}

uint64_t netlink_netns_cookie(const struct netlink *nl)
{
	uint64_t cookie = 0;
	socklen_t size = sizeof(cookie);

	if (!netlink_is_open(nl) || getsockopt(nl->fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size))
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
	if (netlink_is_open(nl))
		close(nl->fd);
	nl->fd = 0;
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
	if (!nlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, type, 0, flags | NLM_F_REQUEST) ||
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
 * The longest answer is a PF with its VFs: at most 64 KiB of them, as their list is an attribute (include/uapi/linux/netlink.h,
 * nla_len), and what a link has besides. One for all sockets: only the pages that an answer fills are ever touched.
 */
static _Alignas(NLMSG_ALIGNTO) char answer[128 * 1024];

/* One datagram from the kernel, which has port 0; its length, or a negative errno. */
static ssize_t receive(const struct netlink *nl)
{
	struct sockaddr_nl from = { 0 };
	socklen_t from_len;
	ssize_t len;

	do {
		from_len = sizeof(from);
		len = recvfrom(nl->fd, answer, sizeof(answer), MSG_TRUNC, (struct sockaddr *)&from,
			       &from_len);
	} while ((len < 0 && errno == EINTR) || (len >= 0 && from.nl_pid));
	if (len < 0)
		return -errno;
	return len > (ssize_t)sizeof(answer) ? -EMSGSIZE : len;
}

/* A dump that fails half way ends with its errno (net/netlink/af_netlink.c, netlink_dump_done). */
static int done_status(struct nlmsghdr *h)
{
	const int *error = nlmsg_data(h);

	return nlmsg_datalen(h) >= (int)sizeof(*error) && *error < 0 ? *error : 1;
}

/*
 * Read one datagram of the answer.
 * Return: 1 when the answer is complete, 0 when more is to come, or a negative errno.
 */
static int netlink_receive(struct netlink *nl, netlink_reply_fn *fn, void *arg)
{
	int len = (int)receive(nl), r;

	if (len < 0)
		return len;
	for (struct nlmsghdr *h = (struct nlmsghdr *)(void *)answer; nlmsg_ok(h, len);
	     h = nlmsg_next(h, &len)) {
		if (h->nlmsg_seq != nl->seq)
			continue;
		if (h->nlmsg_flags & NLM_F_DUMP_INTR)
			return -EAGAIN;
		if (h->nlmsg_type == NLMSG_DONE)
			return done_status(h);
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

/* To the kernel, where a socket without an address goes; it binds the socket at the first message. */
static int netlink_send(struct netlink *nl, struct nlmsghdr *h)
{
	h->nlmsg_seq = ++nl->seq;
	h->nlmsg_pid = 0;
	return send(nl->fd, h, h->nlmsg_len, 0) < 0 ? -errno : 0;
}

int netlink_request(struct netlink *nl, struct nl_msg *msg, netlink_reply_fn *fn, void *arg)
{
	int r;

	nl->ack[0] = '\0';
	if (!msg)
		return -ENOMEM;
	if (!fn)
		nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_ACK;
	r = netlink_send(nl, nlmsg_hdr(msg));
	nlmsg_free(msg);
	while (!r)
		r = netlink_receive(nl, fn, arg);
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
