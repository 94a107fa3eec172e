/* SPDX-License-Identifier: Apache-2.0 */
/* Netlink by hand. The sweep looks with eyes of its own: what lib/ reads wrong, it must not read wrong too. */
#pragma once

#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** nl_open() - a socket in the namespace of a descriptor; -1 = in ours */
int nl_open(int protocol, int ns);

struct nl_msg {
	union {
		struct nlmsghdr h;
		char bytes[2048];
	};
};

void nl_begin(struct nl_msg *m, int type, int flags, const void *header, size_t len);
void nl_put(struct nl_msg *m, int type, const void *data, size_t len);
void nl_put_u32(struct nl_msg *m, int type, uint32_t value);
void nl_put_text(struct nl_msg *m, int type, const char *text);
struct nlattr *nl_nest(struct nl_msg *m, int type);
void nl_end(struct nl_msg *m, struct nlattr *nest);

typedef void nl_reply_fn(const struct nlmsghdr *h, void *arg);

/** nl_ask() - send, and hand each reply on until the last; 0 or a negative errno */
int nl_ask(int fd, struct nl_msg *m, nl_reply_fn *fn, void *arg);

#define nl_data(a) ((const void *)((const char *)(a) + NLA_HDRLEN))
#define nl_len(a)  ((size_t)(a)->nla_len - NLA_HDRLEN)

/** nl_next() - walk over attributes; start with *at = 0; NULL at the end */
const struct nlattr *nl_next(const void *data, size_t len, size_t *at);

/** nl_find() - one attribute, or NULL */
const struct nlattr *nl_find(const void *data, size_t len, int type);
