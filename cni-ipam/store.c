/* SPDX-License-Identifier: Apache-2.0 */
#include "store_sql.h"

#include "base/boot.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * An ADD holds the lock for about a millisecond, so 256 at once are through within a second even on a
 * busy machine. Longer than this, and the runtime's own deadline is near: better to say who holds it.
 */
#define LOCK_TIMEOUT_MS 20000

/* What kinds of errors of sqlite mean. */
static const struct {
	int sqlite, sys, code;
} kinds[] = {
	{ SQLITE_CORRUPT, -STORE_DAMAGED, CNI_ERR_IO },
	{ SQLITE_NOTADB, -STORE_DAMAGED, CNI_ERR_IO },
	{ SQLITE_CONSTRAINT, -STORE_STALE, CNI_ERR_IO },
	{ SQLITE_FULL, ENOSPC, CNI_ERR_IO },
	{ SQLITE_READONLY, EROFS, CNI_ERR_IO },
	{ SQLITE_PERM, EACCES, CNI_ERR_IO },
	{ SQLITE_NOMEM, ENOMEM, CNI_ERR_IO },
	{ SQLITE_BUSY, EBUSY, CNI_ERR_AGAIN },
	{ SQLITE_LOCKED, EBUSY, CNI_ERR_AGAIN },
};

int sql_error(struct store *store, struct err *e, const char *doing)
{
	int sys = EIO, code = CNI_ERR_IO;

	for (size_t i = 0; i < array_size(kinds); i++)
		if ((sqlite3_errcode(store->db) & 0xff) == kinds[i].sqlite) {
			sys = kinds[i].sys;
			code = kinds[i].code;
		}
	err_set(e, code, 0, "lease database %s/%s: %s: %s", store->path, store->file, doing,
		sqlite3_errmsg(store->db));
	e->sys = sys;
	return -sys;
}

static int bind_one(sqlite3_stmt *s, int i, char type, va_list *ap)
{
	uint8_t key[16];

	switch (type) {
	case 'i':
		return sqlite3_bind_int64(s, i, va_arg(*ap, int64_t));
	case 't':
		return sqlite3_bind_text(s, i, va_arg(*ap, const char *), -1, SQLITE_TRANSIENT);
	case 'k':
		addr_key_pack(va_arg(*ap, addr_key), key);
		return sqlite3_bind_blob(s, i, key, sizeof(key), SQLITE_TRANSIENT);
	case 'h':
		return sqlite3_bind_blob(s, i, va_arg(*ap, const uint8_t *), STORE_HASH,
					 SQLITE_TRANSIENT);
	default:
		return SQLITE_MISUSE;
	}
}

static int prepare(struct store *store, sqlite3_stmt **ret, struct err *e, const char *sql,
		   const char *types, va_list *ap)
{
	auto_stmt sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(store->db, sql, -1, &s, NULL))
		return sql_error(store, e, "prepare a statement");
	for (int i = 0; types[i]; i++)
		if (bind_one(s, i + 1, types[i], ap))
			return sql_error(store, e, "bind a parameter");
	*ret = take_ptr(s);
	return 0;
}

int sql_prepare(struct store *store, sqlite3_stmt **ret, struct err *e, const char *sql,
		const char *types, ...)
{
	va_list ap;
	int r;

	va_start(ap, types);
	r = prepare(store, ret, e, sql, types, &ap);
	va_end(ap);
	return r;
}

int sql_step(struct store *store, sqlite3_stmt *s, struct err *e)
{
	switch (sqlite3_step(s)) {
	case SQLITE_ROW:
		return 1;
	case SQLITE_DONE:
		return 0;
	default:
		return sql_error(store, e, "read or write");
	}
}

int sql_exec(struct store *store, struct err *e, const char *sql, const char *types, ...)
{
	auto_stmt sqlite3_stmt *s = NULL;
	va_list ap;
	int r;

	va_start(ap, types);
	r = prepare(store, &s, e, sql, types, &ap);
	va_end(ap);
	return r ? r : sql_step(store, s, e);
}

int sql_script(struct store *store, struct err *e, const char *script)
{
	return sqlite3_exec(store->db, script, NULL, NULL, NULL)
		       ? sql_error(store, e, "run its set-up")
		       : 0;
}

addr_key sql_key(sqlite3_stmt *s, int column)
{
	const void *blob = sqlite3_column_blob(s, column);

	return blob && sqlite3_column_bytes(s, column) == 16 ? addr_key_unpack(blob) : 0;
}

const char *sql_text(sqlite3_stmt *s, int column)
{
	const unsigned char *text = sqlite3_column_text(s, column);

	return text ? (const char *)text : "";
}

static void store_done(struct store *store)
{
	sqlite3_close(store->db);
	if (store->lock >= 0)
		close(store->lock);
	if (store->dir >= 0)
		close(store->dir);
}

/* A reader that began deferred and then writes would fail with SQLITE_BUSY: so begin as a writer. */
static int transaction(struct store *store, store_fn *fn, void *arg, struct err *e)
{
	int r = sql_exec(store, e, "BEGIN IMMEDIATE", "");

	if (r)
		return r;
	r = fn(store, arg, e);
	if (!r)
		r = sql_exec(store, e, "COMMIT", "");
	if (r && !sqlite3_get_autocommit(store->db))
		sql_exec(store, &(struct err){ 0 }, "ROLLBACK", "");
	return r;
}

static int drop_cache(struct store *store, void *arg, struct err *e)
{
	(void)arg;
	return sql_script(
		store, e,
		"DELETE FROM extent; DELETE FROM range; DELETE FROM pool; DELETE FROM source");
}

/* Mend what an error says is broken; the error itself when nothing is. */
static int mend(struct store *store, int r, struct err *e)
{
	if (r == STORE_DAMAGED) {
		log_warning("%s; rebuilding it from what lives", e->msg);
		return store_file_rebuild(store, e);
	}
	if (r == STORE_STALE) {
		log_warning("%s; making the free addresses' list anew", e->msg);
		return transaction(store, drop_cache, NULL, e);
	}
	return r;
}

/* One thread, and nobody asks how much memory there is: sqlite needs neither locks nor counts. */
static void configure(void)
{
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0); /* few pages, so none in advance */
}

int store_run(const char *dir, enum store_make make, store_fn *fn, void *arg, struct err *e)
{
	__attribute__((
		cleanup(store_done))) struct store store = { .dir = -1, .lock = -1, .path = dir };
	bool there = false;
	int r;

	configure();
	store.dir = dir_open(dir, make == STORE_MAKE);
	if (store.dir == -ENOENT && make == STORE_IF_THERE)
		return 0;
	if (store.dir < 0)
		return err_set(e, CNI_ERR_IO, store.dir, "open data directory %s", dir);
	r = boot_id(store.boot, e);
	if (r)
		return r;
	snprintf(store.file, sizeof(store.file), "leases-%s.db", store.boot);
	store.lock = lock_take(store.dir, "lock", LOCK_TIMEOUT_MS, e);
	if (store.lock < 0) {
		err_prefix(e, "data directory %s", dir);
		return store.lock;
	}
	r = store_file_open(&store, make, &there, e);
	if (!r && !there)
		return 0;
	if (!r)
		r = transaction(&store, fn, arg, e);
	if (r != STORE_DAMAGED && r != STORE_STALE)
		return r;
	r = mend(&store, r, e);
	return r ? r : transaction(&store, fn, arg, e);
}
