/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "kernel/roce.h"

static void the_headers_take_their_part_of_the_mtu(void **state)
{
	(void)state;
	assert_int_equal(roce_active_mtu(9000), 4096);
	assert_int_equal(roce_active_mtu(4192), 4096);
	assert_int_equal(roce_active_mtu(4191), 2048);
	assert_int_equal(roce_active_mtu(1500), 1024);
	assert_int_equal(roce_active_mtu(351), 0);
}

static void an_mtu_that_lacks_only_the_headers_is_told(void **state)
{
	(void)state;
	assert_int_equal(roce_better_mtu(4096), 4192);
	assert_int_equal(roce_better_mtu(4191), 4192);
	assert_int_equal(roce_better_mtu(4192), 0);
	assert_int_equal(roce_better_mtu(2100), 2144);
	assert_int_equal(roce_better_mtu(1500), 0);
	assert_int_equal(roce_better_mtu(100), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_headers_take_their_part_of_the_mtu),
		cmocka_unit_test(an_mtu_that_lacks_only_the_headers_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
