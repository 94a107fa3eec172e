/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One netlink request and its answer, for rtnetlink and RDMA netlink alike.
 *
 * A socket belongs to the namespace that it was opened in, so two namespaces are two sockets, and the
 * socket is the first argument of all that talks to the kernel.
 */
#pragma once

#include "base/err.h"

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdbool.h>
#include <stdint.h>

struct netlink {
	int fd; /* 0 = not open: that is standard input's */
	uint32_t seq;
	char ack[256]; /* the kernel's words on the last failure (NLMSGERR_ATTR_MSG), or "" */
};

/**
 * netlink_open() - open a socket in a namespace
 * @protocol: NETLINK_ROUTE or NETLINK_RDMA
 * @ns: the namespace it shall belong to, or -1 for the caller's own
 * @own_ns: the caller's own, to come back to; not used when @ns is -1
 *
 * netlink_close() closes it.
 */
int netlink_open(struct netlink *ret, int protocol, int ns, int own_ns, struct err *e);
void netlink_close(struct netlink *nl);
#define auto_netlink __attribute__((cleanup(netlink_close)))

static inline bool netlink_is_open(const struct netlink *nl)
{
	return nl->fd > 0;
}

/** netlink_netns_cookie() - the number of the socket's namespace, which is never given again; 0 = not known */
uint64_t netlink_netns_cookie(const struct netlink *nl);

/** netlink_msg() - start a request; NULL when memory is short, which netlink_request() then reports */
struct nl_msg *netlink_msg(uint16_t type, int flags, const void *header, size_t header_len);

/* Called for each message of an answer; non-zero ends the request with that value. It must not send a request itself. */
typedef int netlink_reply_fn(struct nlmsghdr *h, void *arg);

/**
 * netlink_request() - send a request, hand its answer to @fn; without @fn, wait for the acknowledgement
 * @msg: consumed
 * @fn: NULL when no answer is expected
 *
 * Return: 0, or the kernel's negative errno; nl->ack then has its words.
 */
int netlink_request(struct netlink *nl, struct nl_msg *msg, netlink_reply_fn *fn, void *arg);

/** netlink_err() - err_set() with code 100, and the kernel's words as details */
int netlink_err(const struct netlink *nl, struct err *e, int sys, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
