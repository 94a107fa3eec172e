/* SPDX-License-Identifier: Apache-2.0 */
#include "wire.h"

#include "options.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

/* "cdr", the version 1, and what follows */
enum {
	WORD_ASK = 0x63645241,
	WORD_GRANT = 0x63645247,
	WORD_DONE = 0x63645244,
	WORD_VERDICT = 0x63645256,
};

static uint8_t *put32(uint8_t *to, uint32_t value)
{
	value = htobe32(value);
	memcpy(to, &value, sizeof(value));
	return to + sizeof(value);
}

static uint8_t *put64(uint8_t *to, uint64_t value)
{
	value = htobe64(value);
	memcpy(to, &value, sizeof(value));
	return to + sizeof(value);
}

/* A message being read; what is beyond its end reads as 0, and is told by @cut. */
struct reader {
	const uint8_t *at;
	size_t left;
	bool cut;
};

static void get(struct reader *r, void *ret, size_t size)
{
	memset(ret, 0, size);
	if (r->left < size) {
		r->cut = true;
		return;
	}
	memcpy(ret, r->at, size);
	r->at += size;
	r->left -= size;
}

static uint32_t get32(struct reader *r)
{
	uint32_t value;

	get(r, &value, sizeof(value));
	return be32toh(value);
}

static uint64_t get64(struct reader *r)
{
	uint64_t value;

	get(r, &value, sizeof(value));
	return be64toh(value);
}

size_t wire_put_ask(uint8_t *to, const struct wire_ask *from)
{
	uint8_t *end = put32(to, WORD_ASK);

	end = put32(end, from->size);
	end = put32(end, from->depth);
	return (size_t)(put32(end, from->seconds) - to);
}

int wire_get_ask(const void *from, size_t len, struct wire_ask *ret)
{
	struct reader r = { from, len, false };
	uint32_t word = get32(&r);
	struct wire_ask a;

	a.size = get32(&r);
	a.depth = get32(&r);
	a.seconds = get32(&r);
	if (r.cut || word != WORD_ASK || !a.size || a.size > TRANSFER_SIZE_MAX || !a.depth ||
	    a.depth > WIRE_DEPTH_MAX || (uint64_t)a.size * a.depth > TRANSFER_SIZE_MAX ||
	    a.seconds > TRANSFER_TIME_MAX)
		return -EPROTO;
	*ret = a;
	return 0;
}

size_t wire_put_grant(uint8_t *to, const struct wire_grant *from)
{
	uint8_t *end = put32(to, WORD_GRANT);

	end = put64(end, from->addr);
	return (size_t)(put32(end, from->rkey) - to);
}

int wire_get_grant(const void *from, size_t len, struct wire_grant *ret)
{
	struct reader r = { from, len, false };
	uint32_t word = get32(&r);
	struct wire_grant g;

	g.addr = get64(&r);
	g.rkey = get32(&r);
	if (r.cut || word != WORD_GRANT)
		return -EPROTO;
	*ret = g;
	return 0;
}

size_t wire_put_done(uint8_t *to, const struct wire_done *from)
{
	return (size_t)(put64(put32(to, WORD_DONE), from->iterations) - to);
}

int wire_get_done(const void *from, size_t len, struct wire_done *ret)
{
	struct reader r = { from, len, false };
	uint32_t word = get32(&r);
	struct wire_done d;

	d.iterations = get64(&r);
	if (r.cut || word != WORD_DONE)
		return -EPROTO;
	*ret = d;
	return 0;
}

size_t wire_put_verdict(uint8_t *to, const struct wire_verdict *from)
{
	uint8_t *end = put32(put32(to, WORD_VERDICT), from->same);

	return (size_t)(put64(end, from->offset) - to);
}

int wire_get_verdict(const void *from, size_t len, struct wire_verdict *ret)
{
	struct reader r = { from, len, false };
	uint32_t word = get32(&r), same = get32(&r);
	struct wire_verdict v = { .same = same == 1 };

	v.offset = get64(&r);
	if (r.cut || word != WORD_VERDICT || same > 1)
		return -EPROTO;
	*ret = v;
	return 0;
}
