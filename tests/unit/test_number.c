/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "base/cleanup.h"
#include "base/number.h"

#include <errno.h>

static void digits_are_taken(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {
		{ "0", 0 },
		{ "7", 7 },
		{ "4094", 4094 },
		{ "18446744073709551615", UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < array_size(good); i++) {
		uint64_t n = 1;

		assert_int_equal(number_parse(good[i].text, UINT64_MAX, &n), 0);
		assert_true(n == good[i].value);
	}
}

static void anything_else_is_refused(void **state)
{
	static const char *const bad[] = { "",	 " 1",	"1 ",  "+1", "-1", "0x1", "01",
					   "00", "1.0", "1e3", "a",  "\n", "1\n", "\xb2" };
	uint64_t n = 42;

	(void)state;
	for (size_t i = 0; i < array_size(bad); i++)
		assert_int_equal(number_parse(bad[i], UINT64_MAX, &n), -EINVAL);
	assert_int_equal(n, 42);
}

static void bounds_hold(void **state)
{
	uint64_t n = 42;

	(void)state;
	assert_int_equal(number_parse("4095", 4094, &n), -ERANGE);
	assert_int_equal(number_parse("18446744073709551616", UINT64_MAX, &n), -ERANGE);
	assert_int_equal(number_parse("99999999999999999999999999", UINT64_MAX, &n), -ERANGE);
	assert_int_equal(n, 42);
	assert_int_equal(number_parse("4094", 4094, &n), 0);
	assert_int_equal(n, 4094);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digits_are_taken),
		cmocka_unit_test(anything_else_is_refused),
		cmocka_unit_test(bounds_hold),
	};

	return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
