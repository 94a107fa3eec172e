/* SPDX-License-Identifier: Apache-2.0 */
#include "nl.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int nl_open(int protocol, int ns)
{
	int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), fd;

	if (own < 0 || (ns >= 0 && setns(ns, CLONE_NEWNET)))
		return -1;
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	if (setns(own, CLONE_NEWNET))
		_exit(3); /* nothing that is done after this would be right */
	close(own);
	return fd;
}

void nl_begin(struct nl_msg *m, int type, int flags, const void *header, size_t len)
{
	memset(m, 0, sizeof(*m));
	m->h.nlmsg_type = (uint16_t)type;
	m->h.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags);
	memcpy(m->bytes + NLMSG_HDRLEN, header, len);
	m->h.nlmsg_len = (uint32_t)(NLMSG_HDRLEN + NLMSG_ALIGN(len));
}

void nl_put(struct nl_msg *m, int type, const void *data, size_t len)
{
	struct nlattr *a = (struct nlattr *)(void *)(m->bytes + m->h.nlmsg_len);

	a->nla_type = (uint16_t)type;
	a->nla_len = (uint16_t)(NLA_HDRLEN + len);
	memcpy((char *)a + NLA_HDRLEN, data, len);
	m->h.nlmsg_len += (uint32_t)NLA_ALIGN(a->nla_len);
}

void nl_put_u32(struct nl_msg *m, int type, uint32_t value)
{
	nl_put(m, type, &value, sizeof(value));
}

void nl_put_text(struct nl_msg *m, int type, const char *text)
{
	nl_put(m, type, text, strlen(text) + 1);
}

struct nlattr *nl_nest(struct nl_msg *m, int type)
{
	struct nlattr *a = (struct nlattr *)(void *)(m->bytes + m->h.nlmsg_len);

	nl_put(m, type | NLA_F_NESTED, "", 0);
	return a;
}

void nl_end(struct nl_msg *m, struct nlattr *nest)
{
	nest->nla_len = (uint16_t)(m->bytes + m->h.nlmsg_len - (char *)nest);
}

int nl_ask(int fd, struct nl_msg *m, nl_reply_fn *fn, void *arg)
{
	static uint32_t seq;
	static char buf[1 << 17] __attribute__((aligned(8)));

	m->h.nlmsg_seq = ++seq;
	if (send(fd, m, m->h.nlmsg_len, 0) < 0)
		return -errno;
	for (;;) {
		ssize_t n = recv(fd, buf, sizeof(buf), 0);
		int len = (int)n;

		if (n < 0)
			return -errno;
		for (struct nlmsghdr *h = (struct nlmsghdr *)(void *)buf; NLMSG_OK(h, len);
		     h = NLMSG_NEXT(h, len)) {
			if (h->nlmsg_seq != seq)
				continue;
			if (h->nlmsg_type == NLMSG_DONE)
				return 0;
			if (h->nlmsg_type == NLMSG_ERROR)
				return ((const struct nlmsgerr *)NLMSG_DATA(h))->error;
			if (fn)
				fn(h, arg);
		}
	}
}

const struct nlattr *nl_next(const void *data, size_t len, size_t *at)
{
	const struct nlattr *a = (const void *)((const char *)data + *at);

	if (*at + sizeof(*a) > len || a->nla_len < sizeof(*a) || *at + a->nla_len > len)
		return NULL;
	*at += (size_t)NLA_ALIGN(a->nla_len);
	return a;
}

const struct nlattr *nl_find(const void *data, size_t len, int type)
{
	const struct nlattr *a;
	size_t at = 0;

	while ((a = nl_next(data, len, &at)))
		if ((a->nla_type & NLA_TYPE_MASK) == type)
			return a;
	return NULL;
}
