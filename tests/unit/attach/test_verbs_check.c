/* SPDX-License-Identifier: Apache-2.0 */
/* What CHECK makes of the doctor's end. */
#include "unit.h"

#include "base/cleanup.h"
#include "verbs_check.h"

#include <signal.h>

#define EXITED(n) ((n) << 8)

static void a_report_without_a_failure_passes(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(
		verbs_check_judge(
			EXITED(0),
			"{\"status\":\"pass\",\"checks\":[{\"id\":\"gid\","
			"\"status\":\"pass\"},{\"id\":\"cm\",\"status\":\"not applicable\"}]}",
			&e),
		0);
}

static void the_first_failure_is_told(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_true(
		verbs_check_judge(
			EXITED(1),
			"{\"status\":\"fail\",\"checks\":[{\"id\":\"open\",\"status\":\"pass\"},"
			"{\"id\":\"gid\",\"device\":\"mlx5_0\",\"status\":\"fail\",\"reason\":\"no GID\","
			"\"expected\":\"one\",\"observed\":\"none\",\"source\":\"table\"},"
			"{\"id\":\"loopback\",\"status\":\"fail\",\"reason\":\"needs gid\"}]}",
			&e) < 0);
	assert_err(&e, CNI_ERR_STATE, "RDMA check gid of mlx5_0 failed");
	assert_string_equal(e.details, "gid: no GID; expected: one; observed: none; source: table");
}

/* Status and report must agree; nothing else is a pass. */
static void whatever_else_it_says_is_no_pass(void **state)
{
	static const struct {
		int status;
		const char *output, *says;
	} cases[] = {
		{ EXITED(0), "", "did not check anything" },
		{ EXITED(0), "{}", "did not check anything" },
		{ EXITED(0), "[]", "did not check anything" },
		{ EXITED(0), "{\"status\":\"pass\"", "did not check anything" },
		{ EXITED(0), "{\"status\":\"fail\",\"checks\":[]}", "did not check anything" },
		{ EXITED(0),
		  "{\"status\":\"pass\",\"checks\":[{\"id\":\"x\",\"status\":\"fail\"}]}",
		  "did not check anything" },
		{ EXITED(1), "{\"status\":\"pass\",\"checks\":[]}", "exit status 1" },
		{ EXITED(1), "{\"status\":1,\"checks\":{\"a\":[]}}", "exit status 1" },
		{ EXITED(2), "{\"status\":\"error\",\"error\":\"no namespace\"}", "exit status 2" },
		{ EXITED(127), "", "exit status 127" },
		{ SIGKILL, "{\"status\":\"pass\",\"checks\":[]}", "signal 9" },
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		struct err e = { 0 };

		assert_true(verbs_check_judge(cases[i].status, cases[i].output, &e) < 0);
		assert_err(&e, CNI_ERR_IO, "cni-sriov-rdma-doctor", cases[i].says);
		if (cases[i].status == EXITED(2))
			assert_string_equal(e.details, "no namespace");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_without_a_failure_passes),
		cmocka_unit_test(the_first_failure_is_told),
		cmocka_unit_test(whatever_else_it_says_is_no_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
