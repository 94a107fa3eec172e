/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the store only: statements, and the database as a file. */
#pragma once

#include "store.h"

#include <sqlite3.h>

struct store {
	sqlite3 *db;
	int dir; /* the data directory */
	int lock;
	const char *path; /* of the data directory */
	char file[64]; /* the database's name in it */
	char boot[40];
};

/* What an error means for store_run(), as the errno that is returned. */
#define STORE_DAMAGED (-EUCLEAN) /* the file: set it aside, rebuild */
#define STORE_STALE   (-ESTALE) /* the cache contradicts the leases: make it anew */

/** sql_error() - fill @e with what sqlite says; returns the negative errno of its kind */
int sql_error(struct store *store, struct err *e, const char *doing);

#define STRING_(x) #x
#define STRING(x)  STRING_(x) /* a number as part of a statement */

static inline void sql_done(sqlite3_stmt **s)
{
	sqlite3_finalize(*s);
}
#define auto_stmt __attribute__((cleanup(sql_done)))

/**
 * sql_prepare() - a statement with its parameters
 * @types: one letter a parameter: i int64_t, t const char *, k addr_key (by value), h hash of STORE_HASH
 *         bytes, n NULL
 */
int sql_prepare(struct store *store, sqlite3_stmt **ret, struct err *e, const char *sql,
		const char *types, ...);

/** sql_step() - 1 = a row, 0 = the end, or a negative errno */
int sql_step(struct store *store, sqlite3_stmt *s, struct err *e);

/** sql_exec() - a statement without rows */
int sql_exec(struct store *store, struct err *e, const char *sql, const char *types, ...);

/** sql_script() - several statements without parameters */
int sql_script(struct store *store, struct err *e, const char *script);

addr_key sql_key(sqlite3_stmt *s, int column); /* 0 for a blob of another size */
const char *sql_text(sqlite3_stmt *s, int column); /* "" for NULL; until the next step */

/** store_file_open() - open this boot's database; *ret_there is false when none is and none is to be made */
int store_file_open(struct store *store, enum store_make how, bool *ret_there, struct err *e);

/** store_file_rebuild() - set the damaged database aside, and make one from what lives */
int store_file_rebuild(struct store *store, struct err *e);

/** extent_seek() - a pool's first free interval that ends at @key or later: 1 = there is one, 0 = none */
int extent_seek(struct store *store, int64_t pool, addr_key key, struct range *ret, struct err *e);

/** extent_take() - an address is free no more, in each pool of its scope (of all scopes for 0) */
int extent_take(struct store *store, int64_t scope, addr_key key, struct err *e);

/** extent_put() - it is free again */
int extent_put(struct store *store, int64_t scope, addr_key key, struct err *e);
