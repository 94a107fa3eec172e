/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "pattern.h"

static void what_was_filled_is_found_whole(void **state)
{
	uint8_t buf[100];

	(void)state;
	for (size_t len = 0; len <= sizeof(buf); len++) {
		memset(buf, 0xaa, sizeof(buf));
		pattern_fill(buf, len, 7);
		assert_int_equal(pattern_find_fault(buf, len, 7), -1);
		if (len < sizeof(buf))
			assert_int_equal(buf[len], 0xaa); /* and nothing behind it */
	}
}

static void each_fault_is_found(void **state)
{
	uint8_t buf[77];

	(void)state;
	for (size_t at = 0; at < sizeof(buf); at++) {
		pattern_fill(buf, sizeof(buf), 1);
		buf[at] ^= 1;
		assert_int_equal(pattern_find_fault(buf, sizeof(buf), 1), at);
	}
}

/* Data of another place, moved by some bytes, or that never came. */
static void what_belongs_elsewhere_is_a_fault(void **state)
{
	uint8_t buf[4096 + 64];

	(void)state;
	pattern_fill(buf, sizeof(buf), 3);
	assert_int_not_equal(pattern_find_fault(buf, 4096, 4), -1);
	for (size_t by = 1; by <= 64; by++)
		assert_int_not_equal(pattern_find_fault(buf + by, 4096, 3), -1);
	memset(buf, 0, sizeof(buf));
	for (uint64_t seed = 0; seed < 16; seed++)
		assert_int_not_equal(pattern_find_fault(buf, sizeof(buf), seed), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_filled_is_found_whole),
		cmocka_unit_test(each_fault_is_found),
		cmocka_unit_test(what_belongs_elsewhere_is_a_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
