/* SPDX-License-Identifier: Apache-2.0 */
/* The store: round robin, cooling, scopes, and files that are not what they should be. */
#include "store_unit.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <errno.h>
#include <sys/wait.h>

/* One step on a pool of 10.0.0.1-3 */
struct step {
	const char *scope, *cid;
	uint32_t cooldown_s;
	struct inet_addr given;
};

static int do_give(struct store *store, void *arg, struct err *e)
{
	auto_range_list struct range_list ranges = { 0 };
	struct step *step = arg;
	struct store_pool pool;
	struct lease lease;
	int r;

	step->given = (struct inet_addr){ 0 };
	range_list_add(&ranges, (struct range){ key(1), key(3) });
	r = open_pool(store, step->scope, hash_a, &ranges, &pool, e);
	r = r ?: store_next(store, &pool, &step->given, e);
	if (r || !step->given.family)
		return r;
	lease = lease_of(&pool, &step->given, step->cid, step->cooldown_s);
	r = store_give(store, &lease, e);
	return r ? r : store_move_cursor(store, &pool, &step->given, e);
}

static unsigned int give(const char *scope, const char *cid, uint32_t cooldown_s)
{
	struct step step = { .scope = scope, .cid = cid, .cooldown_s = cooldown_s };

	run(do_give, &step);
	return step.given.family ? step.given.bytes[3] : 0;
}

static int release_it(const struct lease *lease, void *arg, struct err *e)
{
	return store_release(arg, lease->scope, &lease->addr, e);
}

static int do_release(struct store *store, void *arg, struct err *e)
{
	const struct owner owner = { "net", arg, "net1" };

	return store_leases_of(store, &owner, release_it, store, e);
}

static char *own(const char *text) /* a store_fn's argument is not const */
{
	static char copy[32];

	snprintf(copy, sizeof(copy), "%s", text);
	return copy;
}

static void round_robin_and_cooling(void **state)
{
	(void)state;
	assert_int_equal(give("s", "a", 1), 1);
	assert_int_equal(give("s", "b", 0), 2);
	run(do_release, own("a"));
	run(do_release, own("b"));
	run(do_release, own("b")); /* again: nothing */
	assert_int_equal(give("s", "c", 0), 3); /* on from the last one, not the first free one */
	assert_int_equal(give("s", "d", 0), 2); /* 1 cools */
	assert_int_equal(give("s", "e", 0), 0);
	clock_pause(1100);
	assert_int_equal(give("s", "e", 0), 1);
}

static void scopes_do_not_share_addresses(void **state)
{
	(void)state;
	assert_int_equal(give("s", "a", 0), 1);
	assert_int_equal(give("t", "b", 0), 1);
	assert_int_equal(give("s", "c", 0), 2);
}

static int same_address_twice(struct store *store, void *arg, struct err *e)
{
	const struct store_pool pool = { .scope = store_scope("s") };
	const struct inet_addr a = addr(1);
	struct lease lease = lease_of(&pool, &a, "other", 0);

	(void)arg;
	return store_give(store, &lease, e);
}

static void the_key_makes_a_double_impossible(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(give("s", "a", 0), 1);
	assert_true(store_run(unit_dir, STORE_MAKE, same_address_twice, NULL, &e) < 0);
	assert_int_equal(e.code, CNI_ERR_IO);
	assert_int_equal(give("s", "b", 0), 2); /* and nothing else has changed */
}

static int fail_after_giving(struct store *store, void *arg, struct err *e)
{
	do_give(store, arg, e);
	return err_set(e, CNI_ERR_EXHAUSTED, 0, "the second address is not to be had");
}

static void all_or_nothing(void **state)
{
	struct step step = { .scope = "s", .cid = "a" };
	struct err e = { 0 };

	(void)state;
	assert_true(store_run(unit_dir, STORE_MAKE, fail_after_giving, &step, &e) < 0);
	assert_err(&e, CNI_ERR_EXHAUSTED, "second address");
	assert_int_equal(give("s", "b", 0), 1);
}

static void files_of_an_older_boot_go(void **state)
{
	(void)state;
	unit_write("leases-0.db", "x", 0600);
	unit_write("leases-0.db-journal", "x", 0600);
	unit_write("other", "x", 0600);
	assert_int_equal(give("s", "a", 0), 1);
	assert_int_equal(access(unit_path("leases-0.db"), F_OK), -1);
	assert_int_equal(access(unit_path("leases-0.db-journal"), F_OK), -1);
	assert_int_equal(access(unit_path("other"), F_OK), 0);
	assert_int_equal(access(unit_path(db_name()), F_OK), 0);
}

static void files_are_private(void **state)
{
	struct stat st;
	mode_t old = umask(0);

	(void)state;
	assert_int_equal(give("s", "a", 0), 1);
	umask(old);
	assert_int_equal(stat(unit_path(db_name()), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(stat(unit_path("lock"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static int not_called(struct store *store, void *arg, struct err *e)
{
	(void)store;
	(void)e;
	*(bool *)arg = true;
	return 0;
}

static void without_state_there_is_nothing_to_do(void **state)
{
	bool called = false;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(store_run(unit_path("none"), STORE_IF_THERE, not_called, &called, &e), 0);
	assert_int_equal(store_run(unit_dir, STORE_IF_THERE, not_called, &called, &e), 0);
	assert_false(called);
	assert_int_equal(access(unit_path("none"), F_OK), -1);
	assert_int_equal(access(unit_path(db_name()), F_OK), -1);
}

/* Change 4 bytes of the header (sqlite.org/fileformat2.html, 1.3): 60 user_version, 68 application_id. */
static void patch_header(off_t at, uint8_t last)
{
	const uint8_t bytes[4] = { 0, 0, 0, last };
	int fd = open(unit_path(db_name()), O_WRONLY);

	assert_int_equal(pwrite(fd, bytes, 4, at), 4);
	close(fd);
}

static void assert_refused(const char *why)
{
	struct step step = { .scope = "s", .cid = "z" };
	struct err e = { 0 };

	assert_true(store_run(unit_dir, STORE_MAKE, do_give, &step, &e) < 0);
	assert_err(&e, CNI_ERR_IO, unit_dir, why);
	assert_int_equal(access(unit_path("damaged-1.db"), F_OK), -1);
}

static void foreign_and_newer_databases_are_refused(void **state)
{
	(void)state;
	assert_int_equal(give("s", "a", 0), 1);
	patch_header(60, 2);
	assert_refused("version 2");
	patch_header(60, 1);
	patch_header(68, 9);
	assert_refused("another program");
}

/* What is given after damage is not what was held before: tests/netns/ipam-damage.sh. */
static void damaged_databases_are_set_aside(void **state)
{
	(void)state;
	assert_int_equal(give("s", "a", 0), 1);
	unit_write(db_name(), "", 0600);
	give("s", "b", 0);
	assert_int_equal(access(unit_path("damaged-1.db"), F_OK), 0);
	unit_write(db_name(), "garbage, and not a little of it", 0600);
	give("s", "c", 0);
	assert_int_equal(access(unit_path("damaged-2.db"), F_OK), 0);
	assert_int_equal(unlink(unit_path(db_name())), 0);
	assert_int_equal(mkdir(unit_path(db_name()), 0700), 0);
	give("s", "d", 0);
	give("s", "e", 0);
	assert_int_equal(truncate(unit_path(db_name()), 5000), 0);
	assert_int_not_equal(give("s", "f", 0), 0);
	assert_int_equal(access(unit_path("damaged-3.db"), F_OK), -1);
}

static void concurrent_processes_get_different_addresses(void **state)
{
	enum { PROCESSES = 16, EACH = 8 };
	bool seen[256] = { 0 };
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	for (int i = 0; i < PROCESSES; i++) {
		if (fork())
			continue;
		for (int k = 0; k < EACH; k++) {
			struct step step = { .scope = "s", .cid = "c" };
			struct err e = { 0 };
			char cid[16], scope[16];

			snprintf(cid, sizeof(cid), "c%d-%d", i, k);
			snprintf(scope, sizeof(scope), "s%d", k % 4); /* 3 addresses each */
			step.cid = cid;
			step.scope = scope;
			if (store_run(unit_dir, STORE_MAKE, do_give, &step, &e))
				_exit(1);
			if (step.given.family) {
				uint8_t got = (uint8_t)(step.given.bytes[3] + 10 * (k % 4));

				if (write(fds[1], &got, 1) != 1)
					_exit(1);
			}
		}
		_exit(0);
	}
	close(fds[1]);
	for (uint8_t got; read(fds[0], &got, 1) == 1; seen[got] = true)
		assert_false(seen[got]);
	for (int scope = 0; scope < 4; scope++)
		for (int i = 1; i <= 3; i++)
			assert_true(seen[10 * scope + i]);
	for (int i = 0, status; i < PROCESSES; i++) {
		wait(&status);
		assert_int_equal(status, 0);
	}
	close(fds[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		unit_test_in_dir(round_robin_and_cooling),
		unit_test_in_dir(scopes_do_not_share_addresses),
		unit_test_in_dir(the_key_makes_a_double_impossible),
		unit_test_in_dir(all_or_nothing),
		unit_test_in_dir(files_of_an_older_boot_go),
		unit_test_in_dir(files_are_private),
		unit_test_in_dir(without_state_there_is_nothing_to_do),
		unit_test_in_dir(foreign_and_newer_databases_are_refused),
		unit_test_in_dir(damaged_databases_are_set_aside),
		unit_test_in_dir(concurrent_processes_get_different_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
