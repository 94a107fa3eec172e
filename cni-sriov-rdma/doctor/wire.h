/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What client and server tell each other. A connection's private data carries the question and the grant; two messages
 * at the end carry what was done and the verdict. Numbers are big-endian; each begins with a word that names it and
 * its version. What a peer says is checked: it is not trusted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_MAX \
	24 /* bytes of the longest; private data has room for 56 (IBTA, RDMA IP CM service annex) */
#define WIRE_DEPTH_MAX 16

/* Client: I will write messages of that size into that many places, for so long. */
struct wire_ask {
	uint32_t size, depth, seconds;
};

/* Server: into this memory, which has room for depth × size. */
struct wire_grant {
	uint64_t addr;
	uint32_t rkey;
};

/* Client: so many are written, the nth to place n modulo depth. */
struct wire_done {
	uint64_t iterations;
};

/* Server: is it all as it should be? If not, where is the first fault? */
struct wire_verdict {
	bool same;
	uint64_t offset;
};

/* wire_put_*() - write one; returns its length, up to WIRE_MAX */
size_t wire_put_ask(uint8_t *to, const struct wire_ask *from);
size_t wire_put_grant(uint8_t *to, const struct wire_grant *from);
size_t wire_put_done(uint8_t *to, const struct wire_done *from);
size_t wire_put_verdict(uint8_t *to, const struct wire_verdict *from);

/*
 * wire_get_*() - read one; bytes that follow are not looked at, since a connection manager fills up private data
 * Return: 0; -EPROTO when it is something else, too short, or has values out of their bounds.
 */
int wire_get_ask(const void *from, size_t len, struct wire_ask *ret);
int wire_get_grant(const void *from, size_t len, struct wire_grant *ret);
int wire_get_done(const void *from, size_t len, struct wire_done *ret);
int wire_get_verdict(const void *from, size_t len, struct wire_verdict *ret);
