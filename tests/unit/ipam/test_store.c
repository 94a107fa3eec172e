/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store: round robin, cooling, scopes, and files that are not what they should be. The free
 * addresses are compared with a model after each of many random steps.
 */
#include "unit.h"

#include "base/boot.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "store.h"

#include <errno.h>
#include <sqlite3.h>
#include <sys/wait.h>

#define MODEL 40

static const uint8_t hash_a[STORE_HASH] = { 1 }, hash_b[STORE_HASH] = { 2 };

static struct inet_addr addr(unsigned int i)
{
	return (struct inet_addr){ .family = AF_INET, .bytes = { 10, 0, 0, (uint8_t)i } };
}

static addr_key key(unsigned int i)
{
	struct inet_addr a = addr(i);

	return addr_key_from(&a);
}

static struct lease lease_of(const struct store_pool *pool, const struct inet_addr *a,
			     const char *cid, uint32_t cooldown_s)
{
	return (struct lease){ .scope = pool->scope,
			       .addr = *a,
			       .owner = { "net", cid, "net1" },
			       .held = true,
			       .cooldown_s = cooldown_s,
			       .pool = "",
			       .pod = "",
			       .uid = "",
			       .netns = "" };
}

/* A pool of 10.0.0.LO-HI in a scope. */
static int open_pool(struct store *store, const char *scope, const uint8_t hash[STORE_HASH],
		     const struct range_list *ranges, struct store_pool *ret, struct err *e)
{
	const char *name = hash == hash_a ? "a/0" : "b/0";
	bool found = false;
	int64_t id = store_scope(scope);
	int r = store_pool_find(store, id, hash, ret, &found, e);

	return r || found ? r : store_pool_make(store, id, hash, name, ranges, ret, e);
}

static void run(store_fn *fn, void *arg)
{
	struct err e = { 0 };
	int r = store_run(unit_dir, STORE_MAKE, fn, arg, &e);

	if (r)
		print_error("%s\n", e.msg);
	assert_int_equal(r, 0);
}

/* Two pools of one scope that overlap, and a model of who has which address. */
struct model {
	struct range_list ranges[2];
	bool in[2][MODEL], held[MODEL];
	unsigned int cursor[2];
};

static unsigned int seed = 7;

static unsigned int any(unsigned int below)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % below;
}

static void model_make(struct model *m)
{
	for (int p = 0; p < 2; p++) {
		for (int n = 0; n < 4; n++) {
			unsigned int lo = any(MODEL), hi = lo + any(MODEL - lo) / 2;

			range_list_add(&m->ranges[p], (struct range){ key(lo), key(hi) });
		}
		range_list_merge(&m->ranges[p]);
		for (unsigned int i = 0; i < MODEL; i++)
			m->in[p][i] = range_list_has(&m->ranges[p], key(i));
	}
}

static unsigned int model_next(const struct model *m, int p)
{
	for (unsigned int n = 0; n < MODEL; n++) {
		unsigned int i = (m->cursor[p] + n) % MODEL;

		if (m->in[p][i] && !m->held[i])
			return i;
	}
	return MODEL;
}

static void release_one(struct store *store, struct model *m, const struct store_pool *pool)
{
	unsigned int i = any(MODEL);
	struct inet_addr a = addr(i);
	struct err e = { 0 };

	if (!m->held[i])
		return;
	assert_int_equal(store_release(store, pool->scope, &a, &e), 0);
	m->held[i] = false;
}

static void give_next(struct store *store, struct model *m, const struct store_pool *pool, int p)
{
	unsigned int want = model_next(m, p);
	struct inet_addr got = { 0 }, wanted = addr(want);
	struct lease lease;
	struct err e = { 0 };
	char cid[8];

	for (int i = 0; i < MODEL / 4; i++) /* each puts a few of those back that have cooled off */
		assert_int_equal(store_next(store, pool, &got, &e), 0);
	if (want == MODEL) {
		assert_int_equal(got.family, AF_UNSPEC);
		return;
	}
	assert_true(inet_addr_equal(&got, &wanted));
	snprintf(cid, sizeof(cid), "c%u", want);
	lease = lease_of(pool, &got, cid, 0);
	assert_int_equal(store_give(store, &lease, &e), 0);
	assert_int_equal(store_move_cursor(store, pool, &got, &e), 0);
	m->held[want] = true;
	m->cursor[p] = want + 1;
}

/* A requested address, in a range or not: given unless held, and the cursor stays. */
static void give_static(struct store *store, struct model *m, const struct store_pool *pool)
{
	unsigned int i = any(MODEL);
	struct inet_addr a = addr(i);
	struct lease lease;
	struct err e = { 0 };
	char cid[8];

	if (m->held[i])
		return;
	snprintf(cid, sizeof(cid), "c%u", i);
	lease = lease_of(pool, &a, cid, 0);
	assert_int_equal(store_end_cooling(store, pool->scope, &a, &e), 0);
	assert_int_equal(store_give(store, &lease, &e), 0);
	m->held[i] = true;
}

static void compare_usage(struct store *store, const struct model *m, const struct store_pool *pool,
			  int p)
{
	struct store_usage u;
	struct err e = { 0 };
	unsigned int size = 0, held = 0;

	for (unsigned int i = 0; i < MODEL; i++) {
		size += m->in[p][i];
		held += m->in[p][i] && m->held[i];
	}
	assert_int_equal(store_usage(store, pool, &u, &e), 0);
	assert_true(u.size == size && u.held == held && u.free == size - held && !u.cooling);
}

static int random_steps(struct store *store, void *arg, struct err *e)
{
	struct model *m = arg;
	struct store_pool pool[2];

	assert_int_equal(open_pool(store, "s", hash_a, &m->ranges[0], &pool[0], e), 0);
	assert_int_equal(open_pool(store, "s", hash_b, &m->ranges[1], &pool[1], e), 0);
	for (int step = 0; step < 150; step++) {
		int p = (int)any(2);

		if (any(5) == 0)
			give_static(store, m, &pool[p]);
		else if (any(2))
			give_next(store, m, &pool[p], p);
		else
			release_one(store, m, &pool[p]);
		compare_usage(store, m, &pool[p], p);
	}
	return 0;
}

/* Release what is held, and make it free. */
static int release_all(struct store *store, void *arg, struct err *e)
{
	struct model *m = arg;
	struct store_pool pool[2];
	struct inet_addr next;

	assert_int_equal(open_pool(store, "s", hash_a, &m->ranges[0], &pool[0], e), 0);
	for (unsigned int i = 0; i < MODEL; i++) {
		struct inet_addr a = addr(i);

		assert_int_equal(store_release(store, pool[0].scope, &a, e), 0);
		assert_int_equal(store_next(store, &pool[0], &next, e), 0);
	}
	return 0;
}

static const char *db_name(void)
{
	static char name[64];
	char boot[BOOT_ID_SIZE];
	struct err e;

	assert_int_equal(boot_id(boot, &e), 0);
	snprintf(name, sizeof(name), "leases-%s.db", boot);
	return name;
}

static int count_rows(const char *table)
{
	char sql[64];
	sqlite3_stmt *s;
	sqlite3 *db;
	int n;

	snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", table);
	assert_int_equal(sqlite3_open(unit_path(db_name()), &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(s), SQLITE_ROW);
	n = sqlite3_column_int(s, 0);
	sqlite3_finalize(s);
	sqlite3_close(db);
	return n;
}

static void overlapping_pools_follow_the_model(void **state)
{
	(void)state;
	for (int round = 0; round < 8; round++) {
		struct model m = { 0 };

		model_make(&m);
		run(random_steps, &m);
		run(release_all, &m);
		assert_int_equal(count_rows("lease"), 0);
		assert_int_equal(count_rows("extent"), count_rows("range")); /* all joined again */
		range_list_done(&m.ranges[0]);
		range_list_done(&m.ranges[1]);
		unit_dir_teardown(NULL);
		unit_dir_setup(NULL);
	}
}

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
		unit_test_in_dir(overlapping_pools_follow_the_model),
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
