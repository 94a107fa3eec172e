/* SPDX-License-Identifier: Apache-2.0 */
/* The store's free addresses, compared with a model after each of many random steps. */
#include "store_unit.h"

#include <sqlite3.h>

#define MODEL 40

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		unit_test_in_dir(overlapping_pools_follow_the_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
