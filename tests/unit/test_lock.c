/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/lock.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

/* Start a process that holds the lock, for a time or until it is killed; back once it has it. */
static pid_t hold(unsigned int ms)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct err e;

		if (lock_take(unit_dir_fd, "lock", 0, &e) < 0 || write(ready[1], "x", 1) != 1)
			_exit(1);
		clock_pause(ms);
		_exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void a_free_lock_is_had_at_once(void **state)
{
	auto_close int fd = -1;
	struct err e;
	struct stat st;

	(void)state;
	fd = lock_take(unit_dir_fd, "lock", 0, &e);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

static void closing_frees_it(void **state)
{
	struct err e;
	int fd;

	(void)state;
	fd = lock_take(unit_dir_fd, "lock", 0, &e);
	assert_true(fd >= 0);
	close(fd);
	fd = lock_take(unit_dir_fd, "lock", 0, &e);
	assert_true(fd >= 0);
	close(fd);
}

static void the_wait_is_bounded_and_names_the_holder(void **state)
{
	pid_t holder = hold(60000);
	char text[32], comm[32] = "";
	struct err e;
	uint64_t start = clock_ms();
	FILE *f = fopen("/proc/self/comm", "re");

	(void)state;
	assert_non_null(f);
	assert_non_null(fgets(comm, sizeof(comm), f));
	fclose(f);
	comm[strcspn(comm, "\n")] = '\0';
	snprintf(text, sizeof(text), "process %d ", holder);
	assert_int_equal(lock_take(unit_dir_fd, "lock", 60, &e), -ETIMEDOUT);
	assert_in_range(clock_ms() - start, 60, 10000);
	assert_err(&e, CNI_ERR_AGAIN, "lock ", text, comm, "60 ms");
	end(holder);
}

static void it_is_had_when_the_holder_ends(void **state)
{
	pid_t holder = hold(100);
	struct err e;
	int fd = lock_take(unit_dir_fd, "lock", 60000, &e);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	end(holder);
}

static void it_is_had_when_the_holder_is_killed(void **state)
{
	pid_t holder = hold(60000);
	struct err e;
	int fd;

	(void)state;
	end(holder);
	fd = lock_take(unit_dir_fd, "lock", 0, &e);
	assert_true(fd >= 0);
	close(fd);
}

static void waiting_leaves_no_timer_behind(void **state)
{
	pid_t holder = hold(60000);
	struct sigaction action;
	struct err e;

	(void)state;
	assert_int_equal(lock_take(unit_dir_fd, "lock", 30, &e), -ETIMEDOUT);
	assert_int_equal(alarm(0), 0);
	assert_int_equal(sigaction(SIGALRM, NULL, &action), 0);
	assert_true(action.sa_handler == SIG_DFL);
	end(holder);
}

static void a_file_that_cannot_be_opened_is_told(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(symlink("elsewhere", unit_path("lock")), 0);
	assert_int_equal(lock_take(unit_dir_fd, "lock", 0, &e), -ELOOP);
	assert_err(&e, CNI_ERR_IO, "open lock");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		unit_test_in_dir(a_free_lock_is_had_at_once),
		unit_test_in_dir(closing_frees_it),
		unit_test_in_dir(the_wait_is_bounded_and_names_the_holder),
		unit_test_in_dir(it_is_had_when_the_holder_ends),
		unit_test_in_dir(it_is_had_when_the_holder_is_killed),
		unit_test_in_dir(waiting_leaves_no_timer_behind),
		unit_test_in_dir(a_file_that_cannot_be_opened_is_told),
	};

	return cmocka_run_group_tests_name("lock", tests, NULL, NULL);
}
