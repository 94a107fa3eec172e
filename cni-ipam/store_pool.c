/* SPDX-License-Identifier: Apache-2.0 */
#include "store_sql.h"

#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REAP_BATCH \
	4 /* more than one, so that a backlog shrinks; few, so that no ADD pays for all */
#define FORMS_KEPT \
	8 /* earlier forms of a pool's ranges, e.g. of two pods with ipRanges of their own */

/* Does pool ?2 give out the address of the lease row? One seek: ranges do not overlap. */
#define IN_POOL \
	"(SELECT lo FROM range WHERE pool = ?2 AND hi >= lease.addr ORDER BY hi LIMIT 1) <= lease.addr"

int64_t store_scope(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 0x100000001b3;
	return (int64_t)(hash ? hash : 1); /* 0 is all scopes */
}

int store_pool_find(struct store *store, int64_t scope, const uint8_t hash[STORE_HASH],
		    struct store_pool *ret, bool *ret_found, struct err *e)
{
	auto_stmt sqlite3_stmt *s = NULL;
	int r = sql_prepare(store, &s, e, "SELECT id FROM pool WHERE scope = ? AND hash = ?", "ih",
			    scope, hash);

	if (!r)
		r = sql_step(store, s, e);
	if (r < 0)
		return r;
	*ret_found = r > 0;
	if (r > 0)
		*ret = (struct store_pool){ sqlite3_column_int64(s, 0), scope };
	return 0;
}

/* The scope's addresses that are not free, held or cooling, in one pass over the primary key. */
static int taken(struct store *store, int64_t scope, struct range bounds, struct range_list *into,
		 struct err *e)
{
	auto_stmt sqlite3_stmt *s = NULL;
	int r = sql_prepare(store, &s, e,
			    "SELECT addr FROM lease WHERE scope = ? AND addr BETWEEN ? AND ?"
			    " ORDER BY addr",
			    "ikk", scope, bounds.lo, bounds.hi);

	while (!r && (r = sql_step(store, s, e)) > 0) {
		addr_key key = sql_key(s, 0);

		r = 0;
		if (into->count && into->v[into->count - 1].hi + 1 == key)
			into->v[into->count - 1].hi = key;
		else if (range_list_add(into, (struct range){ key, key }))
			return err_set(e, CNI_ERR_IO, ENOMEM, "list the leases");
	}
	return r;
}

static int fill(struct store *store, const char *sql, int64_t pool, const struct range_list *list,
		struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < list->count; i++)
		r = sql_exec(store, e, sql, "ikk", pool, list->v[i].hi, list->v[i].lo);
	return r;
}

static int fill_extents(struct store *store, const struct store_pool *pool,
			const struct range_list *ranges, struct range bounds, struct err *e)
{
	auto_range_list struct range_list free = { 0 }, used = { 0 };
	int r = taken(store, pool->scope, bounds, &used, e);

	r = r ?: taken(store, 0, bounds, &used, e);
	if (r)
		return r;
	range_list_merge(&used);
	for (size_t i = 0; i < ranges->count; i++)
		if (range_list_add(&free, ranges->v[i]))
			return err_set(e, CNI_ERR_IO, ENOMEM, "list the free addresses");
	if (range_list_subtract(&free, &used))
		return err_set(e, CNI_ERR_IO, ENOMEM, "list the free addresses");
	return fill(store, "INSERT INTO extent(pool, hi, lo) VALUES(?,?,?)", pool->id, &free, e);
}

/* Forget the forms of a pool that were used longest ago, and with them what was read from its file. */
static int forget_old_forms(struct store *store, int64_t scope, const char *name, struct err *e)
{
	auto_stmt sqlite3_stmt *s = NULL;
	int r = sql_prepare(store, &s, e,
			    "SELECT id FROM pool WHERE scope = ? AND name = ?"
			    " ORDER BY used DESC, id DESC LIMIT -1 OFFSET " STRING(FORMS_KEPT),
			    "it", scope, name);

	while (!r && (r = sql_step(store, s, e)) > 0) {
		int64_t id = sqlite3_column_int64(s, 0);

		r = sql_exec(store, e, "DELETE FROM extent WHERE pool = ?", "i", id);
		r = r ?: sql_exec(store, e, "DELETE FROM range WHERE pool = ?", "i", id);
		r = r ?: sql_exec(store, e, "DELETE FROM pool WHERE id = ?", "i", id);
		r = r ?: sql_exec(store, e, "DELETE FROM source", "");
	}
	return r;
}

int store_pool_make(struct store *store, int64_t scope, const uint8_t hash[STORE_HASH],
		    const char *name, const struct range_list *ranges, struct store_pool *ret,
		    struct err *e)
{
	struct range bounds = { 1, 0 }; /* empty, when all is excluded */
	struct store_pool pool = { 0, scope };
	int r;

	if (ranges->count)
		bounds = (struct range){ ranges->v[0].lo, ranges->v[ranges->count - 1].hi };
	r = sql_exec(store, e,
		     "INSERT INTO pool(scope, hash, name, lo, hi, size, used, cursor)"
		     " VALUES(?1,?2,?3,?4,?5,?6,?7, coalesce((SELECT cursor FROM pool"
		     "  WHERE scope = ?1 AND name = ?3 ORDER BY used DESC LIMIT 1), ?4))",
		     "ihtkkki", scope, hash, name, bounds.lo, bounds.hi, range_list_count(ranges),
		     (int64_t)clock_ms());
	if (r)
		return r;
	pool.id = sqlite3_last_insert_rowid(store->db);
	r = fill(store, "INSERT INTO range(pool, hi, lo) VALUES(?,?,?)", pool.id, ranges, e);
	r = r ?: fill_extents(store, &pool, ranges, bounds, e);
	r = r ?: forget_old_forms(store, scope, name, e);
	if (!r)
		*ret = pool;
	return r;
}

/* Make a few cooled-off addresses of a scope free; returns how many, or a negative errno. */
static int reap(struct store *store, int64_t scope, struct err *e)
{
	struct {
		int64_t scope;
		addr_key key;
	} cooled[REAP_BATCH];
	auto_stmt sqlite3_stmt *s = NULL;
	int n = 0, r;

	r = sql_prepare(store, &s, e,
			"SELECT scope, addr FROM lease INDEXED BY cool"
			" WHERE scope IN (0, ?) AND held = 0 AND free_at <= ? LIMIT ?",
			"iii", scope, (int64_t)clock_ms(), (int64_t)REAP_BATCH);
	while (!r && (r = sql_step(store, s, e)) > 0) {
		cooled[n].scope = sqlite3_column_int64(s, 0);
		cooled[n++].key = sql_key(s, 1);
		r = 0;
	}
	for (int i = 0; !r && i < n; i++) {
		r = sql_exec(store, e, "DELETE FROM lease WHERE scope = ? AND addr = ?", "ik",
			     cooled[i].scope, cooled[i].key);
		r = r ?: extent_put(store, cooled[i].scope, cooled[i].key, e);
	}
	return r < 0 ? r : n;
}

static int read_cursor(struct store *store, int64_t pool, addr_key *ret, struct err *e)
{
	auto_stmt sqlite3_stmt *s = NULL;
	int r = sql_prepare(store, &s, e, "SELECT cursor FROM pool WHERE id = ?", "i", pool);

	if (!r)
		r = sql_step(store, s, e);
	if (r > 0)
		*ret = sql_key(s, 0);
	return r < 0 ? r : 0;
}

int store_next(struct store *store, const struct store_pool *pool, struct inet_addr *ret,
	       struct err *e)
{
	addr_key cursor = 0;
	struct range x;
	int reaped, r = read_cursor(store, pool->id, &cursor, e);

	if (r)
		return r;
	do {
		reaped = reap(store, pool->scope, e);
		if (reaped < 0)
			return reaped;
		r = extent_seek(store, pool->id, cursor, &x, e);
		if (!r) {
			cursor = 0; /* once around */
			r = extent_seek(store, pool->id, cursor, &x, e);
		}
	} while (!r && reaped); /* an address that was reaped may have been another pool's */
	if (r > 0)
		*ret = addr_key_to(x.lo > cursor ? x.lo : cursor);
	return r < 0 ? r : 0;
}

int store_move_cursor(struct store *store, const struct store_pool *pool,
		      const struct inet_addr *after, struct err *e)
{
	return sql_exec(store, e, "UPDATE pool SET cursor = ?, used = ? WHERE id = ?", "kii",
			addr_key_from(after) + 1, (int64_t)clock_ms(), pool->id);
}

/* Replaces what it is given by a cooling address of the scope that is free earlier. */
static int coolest_in(struct store *store, int64_t scope, int64_t pool, struct inet_addr *best,
		      uint64_t *best_free_at, struct err *e)
{
	auto_stmt sqlite3_stmt *s = NULL;
	int r = sql_prepare(store, &s, e,
			    "SELECT addr, free_at FROM lease"
			    " WHERE scope = ?1 AND held = 0 AND " IN_POOL
			    " ORDER BY free_at LIMIT 1",
			    "ii", scope, pool);

	if (!r)
		r = sql_step(store, s, e);
	if (r <= 0)
		return r;
	if (!best->family || (uint64_t)sqlite3_column_int64(s, 1) < *best_free_at) {
		*best = addr_key_to(sql_key(s, 0));
		*best_free_at = (uint64_t)sqlite3_column_int64(s, 1);
	}
	return 0;
}

int store_coolest(struct store *store, const struct store_pool *pool, struct inet_addr *ret,
		  uint64_t *ret_free_at, struct err *e)
{
	struct inet_addr best = { 0 };
	uint64_t free_at = 0;
	int r = coolest_in(store, pool->scope, pool->id, &best, &free_at, e);

	r = r ?: coolest_in(store, 0, pool->id, &best, &free_at, e);
	if (r || !best.family)
		return r;
	*ret = best;
	*ret_free_at = free_at;
	return 0;
}

/* Sum of the free addresses; in C, as they are too large for sqlite's numbers. */
static int count_extents(struct store *store, int64_t pool, addr_key *ret, struct err *e)
{
	auto_stmt sqlite3_stmt *s = NULL;
	int r = sql_prepare(store, &s, e, "SELECT hi, lo FROM extent WHERE pool = ?", "i", pool);
	addr_key n = 0;

	while (!r && (r = sql_step(store, s, e)) > 0) {
		n += sql_key(s, 0) - sql_key(s, 1) + 1;
		r = 0;
	}
	if (!r)
		*ret = n;
	return r;
}

int store_usage(struct store *store, const struct store_pool *pool, struct store_usage *ret,
		struct err *e)
{
	auto_stmt sqlite3_stmt *s = NULL;
	struct store_usage u = { 0 };
	addr_key cooled; /* not reaped yet */
	int r = count_extents(store, pool->id, &u.free, e);

	r = r
		    ?: sql_prepare(
			       store, &s, e,
			       "SELECT size,"
			       " (SELECT count(*) FROM lease WHERE scope IN (0, ?1) AND held = 0"
			       "  AND free_at > ?3 AND " IN_POOL "),"
			       " (SELECT count(*) FROM lease WHERE scope IN (0, ?1) AND held = 0"
			       "  AND free_at <= ?3 AND " IN_POOL ")"
			       " FROM pool WHERE id = ?2",
			       "iii", pool->scope, pool->id, (int64_t)clock_ms());
	if (!r)
		r = sql_step(store, s, e);
	if (r <= 0)
		return r;
	u.size = sql_key(s, 0);
	u.cooling = (addr_key)sqlite3_column_int64(s, 1);
	cooled = (addr_key)sqlite3_column_int64(s, 2);
	u.held = u.size - u.free - u.cooling - cooled;
	u.free += cooled;
	*ret = u;
	return 0;
}

int store_pools(struct store *store, store_pool_fn *fn, void *arg, struct err *e)
{
	auto_stmt sqlite3_stmt *s = NULL;
	int r = sql_prepare(store, &s, e,
			    "SELECT id, scope, name, lo, hi, max(used) FROM pool"
			    " GROUP BY scope, name ORDER BY name",
			    "");

	while (!r && (r = sql_step(store, s, e)) > 0) {
		const struct store_pool pool = { sqlite3_column_int64(s, 0),
						 sqlite3_column_int64(s, 1) };
		const struct range bounds = { sql_key(s, 3), sql_key(s, 4) };

		r = fn(&pool, sql_text(s, 2), &bounds, arg, e);
	}
	return r;
}

int store_source_get(struct store *store, const char *key, char **ret_stamp, char **ret_body,
		     struct err *e)
{
	auto_stmt sqlite3_stmt *s = NULL;
	char *stamp, *body;
	int r = sql_prepare(store, &s, e, "SELECT stamp, body FROM source WHERE key = ?", "t", key);

	if (!r)
		r = sql_step(store, s, e);
	if (r <= 0)
		return r;
	stamp = strdup(sql_text(s, 0));
	body = strdup(sql_text(s, 1));
	if (!stamp || !body) {
		free(stamp);
		free(body);
		return err_set(e, CNI_ERR_IO, ENOMEM, "remember a pool file");
	}
	*ret_stamp = stamp;
	*ret_body = body;
	return 0;
}

int store_source_put(struct store *store, const char *key, const char *stamp, const char *body,
		     struct err *e)
{
	return sql_exec(store, e, "INSERT OR REPLACE INTO source(key, stamp, body) VALUES(?,?,?)",
			"ttt", key, stamp, body);
}
