/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/program.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>

#define LIMIT 100000

static int run(const char *script, unsigned int timeout_ms, char **ret, int *ret_status)
{
	char *const argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char *)(uintptr_t)script,
			       NULL };

	return program_run("/bin/sh", argv, timeout_ms, LIMIT, ret, ret_status);
}

static void output_and_status_come_back(void **state)
{
	auto_free char *text = NULL, *more = NULL;
	int status;

	(void)state;
	assert_int_equal(run("cat; echo one; echo two; exit 3", 5000, &text, &status), 0);
	assert_string_equal(text, "one\ntwo\n");
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);

	/* more than a pipe, and than a read, holds */
	assert_int_equal(
		run("head -c 90000 /dev/zero | tr '\\0' x; kill -9 $$", 5000, &more, &status), 0);
	assert_int_equal(strlen(more), 90000);
	assert_true(WIFSIGNALED(status));
}

static void what_does_not_end_is_killed(void **state)
{
	uint64_t start = clock_ms();
	char *text = NULL;
	int status;

	(void)state;
	assert_int_equal(run("exec sleep 60", 100, &text, &status), -ETIMEDOUT);
	assert_int_equal(run("exec >/dev/null; exec sleep 60", 100, &text, &status), -ETIMEDOUT);
	assert_int_equal(run("exec yes", 5000, &text, &status), -EFBIG);
	assert_null(text);
	assert_true(clock_ms() - start < 5000);
	assert_int_equal(waitpid(-1, &status, WNOHANG), -1); /* and reaped */
}

static void what_is_not_there_is_told(void **state)
{
	char *const argv[] = { (char[]){ "x" }, NULL };
	char *text = NULL;
	int status;

	(void)state;
	assert_int_equal(program_run("/nonexistent", argv, 1000, LIMIT, &text, &status), -ENOENT);
}

static void a_neighbour_is_found(void **state)
{
	char path[PATH_MAX] = "untouched";

	(void)state;
	assert_int_equal(program_find_beside("no-such-program", path), -ENOENT);
	assert_int_equal(program_find_beside(".", path), -ENOENT);
	assert_string_equal(path, "untouched");
	assert_int_equal(program_find_beside("test_program", path), 0);
	assert_non_null(strstr(path, "/test_program"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_and_status_come_back),
		cmocka_unit_test(what_does_not_end_is_killed),
		cmocka_unit_test(what_is_not_there_is_told),
		cmocka_unit_test(a_neighbour_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
