/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "base/cleanup.h"
#include "options.h"
#include "wire.h"

#include <errno.h>

static void what_is_put_is_got(void **state)
{
	struct wire_ask ask = { .size = 65536, .depth = 16, .seconds = 5 }, ask_got;
	struct wire_grant grant = { .addr = 0x7f0123456789abcd, .rkey = 0xcafe }, grant_got;
	struct wire_done done = { .iterations = 1ull << 40 }, done_got;
	struct wire_verdict verdict = { .same = false, .offset = 77 }, verdict_got;
	uint8_t buf[WIRE_MAX];

	(void)state;
	assert_int_equal(wire_get_ask(buf, wire_put_ask(buf, &ask), &ask_got), 0);
	assert_memory_equal(&ask, &ask_got, sizeof(ask));
	assert_int_equal(buf[7], 0); /* big-endian: 65536 is 00 01 00 00 */
	assert_int_equal(buf[5], 1);
	assert_int_equal(wire_get_grant(buf, wire_put_grant(buf, &grant), &grant_got), 0);
	assert_int_equal(grant_got.addr, grant.addr);
	assert_int_equal(grant_got.rkey, grant.rkey);
	assert_int_equal(wire_get_done(buf, wire_put_done(buf, &done), &done_got), 0);
	assert_int_equal(done_got.iterations, done.iterations);
	assert_int_equal(wire_get_verdict(buf, wire_put_verdict(buf, &verdict), &verdict_got), 0);
	assert_false(verdict_got.same);
	assert_int_equal(verdict_got.offset, 77);
}

/* A connection manager gives private data of a fixed length, filled up with zeros. */
static void what_follows_is_not_looked_at(void **state)
{
	struct wire_ask ask = { .size = 1, .depth = 1, .seconds = 1 }, got;
	uint8_t buf[56] = { 0 };

	(void)state;
	wire_put_ask(buf, &ask);
	assert_int_equal(wire_get_ask(buf, sizeof(buf), &got), 0);
}

static void what_is_cut_or_another_is_refused(void **state)
{
	struct wire_ask ask = { .size = 1, .depth = 1, .seconds = 1 };
	struct wire_grant grant = { .rkey = 99 };
	struct wire_verdict verdict;
	uint8_t buf[WIRE_MAX] = { 0 };
	size_t len = wire_put_ask(buf, &ask);

	(void)state;
	for (size_t cut = 0; cut < len; cut++)
		assert_int_equal(wire_get_ask(buf, cut, &ask), -EPROTO);
	assert_int_equal(wire_get_ask(NULL, 0, &ask), -EPROTO);
	assert_int_equal(wire_get_grant(buf, sizeof(buf), &grant), -EPROTO);
	assert_int_equal(grant.rkey, 99);
	assert_int_equal(wire_get_verdict(buf, sizeof(buf), &verdict), -EPROTO);
}

/* The peer sets aside what it is asked for: no more than that. */
static void too_much_is_refused(void **state)
{
	static const struct wire_ask cases[] = {
		{ .size = 0, .depth = 1 },
		{ .size = TRANSFER_SIZE_MAX + 1, .depth = 1 },
		{ .size = TRANSFER_SIZE_MAX, .depth = 2 },
		{ .size = UINT32_MAX, .depth = 16 },
		{ .size = 1, .depth = 0 },
		{ .size = 1, .depth = WIRE_DEPTH_MAX + 1 },
		{ .size = 1, .depth = 1, .seconds = TRANSFER_TIME_MAX + 1 },
	};
	uint8_t buf[WIRE_MAX];

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		struct wire_ask got;

		assert_int_equal(wire_get_ask(buf, wire_put_ask(buf, &cases[i]), &got), -EPROTO);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_put_is_got),
		cmocka_unit_test(what_follows_is_not_looked_at),
		cmocka_unit_test(what_is_cut_or_another_is_refused),
		cmocka_unit_test(too_much_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
