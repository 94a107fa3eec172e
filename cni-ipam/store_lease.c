/* SPDX-License-Identifier: Apache-2.0 */
#include "store_sql.h"

#include "base/clock.h"

#define COLUMNS                                                                             \
	"scope, addr, network, cid, ifname, slot, held, since, free_at, cooldown_s, pool, " \
	"pod, uid, netns, netns_dev, netns_ino"

static void lease_read(sqlite3_stmt *s, struct lease *ret)
{
	*ret = (struct lease){
		.scope = sqlite3_column_int64(s, 0),
		.addr = addr_key_to(sql_key(s, 1)),
		.owner = { sql_text(s, 2), sql_text(s, 3), sql_text(s, 4) },
		.slot = (uint32_t)sqlite3_column_int64(s, 5),
		.held = sqlite3_column_int64(s, 6) != 0,
		.since = (uint64_t)sqlite3_column_int64(s, 7),
		.free_at = (uint64_t)sqlite3_column_int64(s, 8),
		.cooldown_s = (uint32_t)sqlite3_column_int64(s, 9),
		.pool = sql_text(s, 10),
		.pod = sql_text(s, 11),
		.uid = sql_text(s, 12),
		.netns = sql_text(s, 13),
		.netns_dev = (uint64_t)sqlite3_column_int64(s, 14),
		.netns_ino = (uint64_t)sqlite3_column_int64(s, 15),
	};
}

static int walk(struct store *store, sqlite3_stmt *s, store_lease_fn *fn, void *arg, struct err *e)
{
	struct lease lease;
	int r;

	while ((r = sql_step(store, s, e)) > 0) {
		lease_read(s, &lease);
		r = fn(&lease, arg, e);
		if (r < 0)
			break;
	}
	return r;
}

int store_leases_of(struct store *store, const struct owner *owner, store_lease_fn *fn, void *arg,
		    struct err *e)
{
	auto_stmt sqlite3_stmt *s = NULL;
	/* the index has all that is read here; without its name the planner takes as long as the query */
	int r = sql_prepare(
		store, &s, e,
		"SELECT scope, addr, slot FROM lease INDEXED BY owner"
		" WHERE network = ? AND cid = ? AND ifname = ? AND held = 1 ORDER BY slot",
		"ttt", owner->network, owner->cid, owner->ifname);

	while (!r && (r = sql_step(store, s, e)) > 0) {
		const struct lease lease = {
			.scope = sqlite3_column_int64(s, 0),
			.addr = addr_key_to(sql_key(s, 1)),
			.owner = *owner,
			.slot = (uint32_t)sqlite3_column_int64(s, 2),
			.held = true,
			.pool = "",
			.pod = "",
			.uid = "",
			.netns = "",
		};

		r = fn(&lease, arg, e);
	}
	return r;
}

int store_leases(struct store *store, const char *network, bool cooling, store_lease_fn *fn,
		 void *arg, struct err *e)
{
	auto_stmt sqlite3_stmt *s = NULL;
	int r;

	if (network)
		r = sql_prepare(store, &s, e,
				"SELECT " COLUMNS " FROM lease WHERE network = ? AND held = 1", "t",
				network);
	else if (cooling)
		r = sql_prepare(store, &s, e, "SELECT " COLUMNS " FROM lease ORDER BY addr", "");
	else
		r = sql_prepare(store, &s, e,
				"SELECT " COLUMNS " FROM lease WHERE held = 1 ORDER BY addr", "");
	return r ? r : walk(store, s, fn, arg, e);
}

int store_lease_at(struct store *store, int64_t scope, const struct inet_addr *addr,
		   store_lease_fn *fn, void *arg, struct err *e)
{
	auto_stmt sqlite3_stmt *s = NULL;
	int r = sql_prepare(store, &s, e,
			    "SELECT " COLUMNS " FROM lease WHERE scope IN (0, ?) AND addr = ?",
			    "ik", scope, addr_key_from(addr));

	return r ? r : walk(store, s, fn, arg, e);
}

int store_give(struct store *store, const struct lease *lease, struct err *e)
{
	addr_key key = addr_key_from(&lease->addr);
	int r = sql_exec(
		store, e, "INSERT INTO lease(" COLUMNS ") VALUES(?,?,?,?,?,?,1,?,0,?,?,?,?,?,?,?)",
		"iktttiiittttii", lease->scope, key, lease->owner.network, lease->owner.cid,
		lease->owner.ifname, (int64_t)lease->slot, (int64_t)clock_ms(),
		(int64_t)lease->cooldown_s, lease->pool, lease->pod, lease->uid, lease->netns,
		(int64_t)lease->netns_dev, (int64_t)lease->netns_ino);

	return r ? r : extent_take(store, lease->scope, key, e);
}

int store_end_cooling(struct store *store, int64_t scope, const struct inet_addr *addr,
		      struct err *e)
{
	return sql_exec(store, e,
			"DELETE FROM lease WHERE scope IN (0, ?) AND addr = ? AND held = 0", "ik",
			scope, addr_key_from(addr));
}

int store_release(struct store *store, int64_t scope, const struct inet_addr *addr, struct err *e)
{
	/* free_at may lie in the past at once (cooldown 0): then the next ADD reaps it */
	return sql_exec(store, e,
			"UPDATE lease SET held = 0, free_at = ? + cooldown_s * 1000"
			" WHERE scope = ? AND addr = ? AND held = 1",
			"iik", (int64_t)clock_ms(), scope, addr_key_from(addr));
}
