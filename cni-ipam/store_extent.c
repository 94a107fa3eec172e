/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The free addresses of a pool, as intervals whose key is their end: the next free address from some
 * address on is one seek. What is taken or put back changes one interval, or two.
 */
#include "store_sql.h"

/* One seek in `range` or `extent`: the first interval that ends at or after the key. */
static int seek(struct store *store, const char *sql, int64_t pool, addr_key key, struct range *ret,
		struct err *e)
{
	auto_stmt sqlite3_stmt *s = NULL;
	int r = sql_prepare(store, &s, e, sql, "ik", pool, key);

	if (!r)
		r = sql_step(store, s, e);
	if (r > 0)
		*ret = (struct range){ sql_key(s, 1), sql_key(s, 0) };
	return r;
}

#define SEEK_RANGE  "SELECT hi, lo FROM range WHERE pool = ? AND hi >= ? ORDER BY hi LIMIT 1"
#define SEEK_EXTENT "SELECT hi, lo FROM extent WHERE pool = ? AND hi >= ? ORDER BY hi LIMIT 1"

static int extent_add(struct store *store, int64_t pool, struct range r, struct err *e)
{
	return sql_exec(store, e, "INSERT INTO extent(pool, hi, lo) VALUES(?,?,?)", "ikk", pool,
			r.hi, r.lo);
}

static int extent_drop(struct store *store, int64_t pool, addr_key hi, struct err *e)
{
	return sql_exec(store, e, "DELETE FROM extent WHERE pool = ? AND hi = ?", "ik", pool, hi);
}

static int extent_set_lo(struct store *store, int64_t pool, addr_key hi, addr_key lo, struct err *e)
{
	return sql_exec(store, e, "UPDATE extent SET lo = ? WHERE pool = ? AND hi = ?", "kik", lo,
			pool, hi);
}

int extent_seek(struct store *store, int64_t pool, addr_key key, struct range *ret, struct err *e)
{
	return seek(store, SEEK_EXTENT, pool, key, ret, e);
}

/* Cut an address out of a pool's extents, if it is in one. */
static int pool_take(struct store *store, int64_t pool, addr_key key, struct err *e)
{
	struct range x;
	int r = extent_seek(store, pool, key, &x, e);

	if (r <= 0 || x.lo > key)
		return r < 0 ? r : 0;
	if (x.lo == key && x.hi == key)
		return extent_drop(store, pool, key, e);
	if (x.hi > key) { /* what is above keeps the row, whose key is hi */
		r = extent_set_lo(store, pool, x.hi, key + 1, e);
		if (r || x.lo == key)
			return r;
		return extent_add(store, pool, (struct range){ x.lo, key - 1 }, e);
	}
	r = extent_drop(store, pool, key, e);
	return r ? r : extent_add(store, pool, (struct range){ x.lo, key - 1 }, e);
}

/* Put an address back into a pool's extents, if it is one of the pool's, and join its neighbours. */
static int pool_put(struct store *store, int64_t pool, addr_key key, struct err *e)
{
	struct range in, below = { 0 }, above = { 0 };
	bool joins_below, joins_above;
	int r = seek(store, SEEK_RANGE, pool, key, &in, e);

	if (r <= 0 || in.lo > key)
		return r < 0 ? r : 0;
	if (key > in.lo) {
		r = extent_seek(store, pool, key - 1, &below, e);
		if (r < 0)
			return r;
	}
	joins_below = key > in.lo && r > 0 && below.hi == key - 1;
	r = extent_seek(store, pool, key, &above, e);
	if (r < 0 || (r > 0 && above.lo <= key)) /* is free already */
		return r < 0 ? r : 0;
	joins_above = r > 0 && key < in.hi && above.lo == key + 1;
	r = joins_below ? extent_drop(store, pool, below.hi, e) : 0;
	if (r)
		return r;
	if (!joins_below)
		below.lo = key;
	if (joins_above)
		return extent_set_lo(store, pool, above.hi, below.lo, e);
	return extent_add(store, pool, (struct range){ below.lo, key }, e);
}

typedef int pool_fn(struct store *store, int64_t pool, addr_key key, struct err *e);

/* For each pool of the scope that the address may be in; scope 0 is in all scopes. */
static int for_pools(struct store *store, int64_t scope, addr_key key, pool_fn *fn, struct err *e)
{
	auto_stmt sqlite3_stmt *s = NULL;
	int r;

	if (scope)
		r = sql_prepare(store, &s, e,
				"SELECT id FROM pool WHERE scope = ? AND lo <= ? AND hi >= ?",
				"ikk", scope, key, key);
	else
		r = sql_prepare(store, &s, e, "SELECT id FROM pool WHERE lo <= ? AND hi >= ?", "kk",
				key, key);
	while (!r && (r = sql_step(store, s, e)) > 0)
		r = fn(store, sqlite3_column_int64(s, 0), key, e);
	return r;
}

int extent_take(struct store *store, int64_t scope, addr_key key, struct err *e)
{
	return for_pools(store, scope, key, pool_take, e);
}

int extent_put(struct store *store, int64_t scope, addr_key key, struct err *e)
{
	return for_pools(store, scope, key, pool_put, e);
}
