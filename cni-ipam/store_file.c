/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The database as a file: made, recognised, set aside, rebuilt.
 *
 * It is made under another name and renamed when complete, so a file of its real name is never half
 * made: an empty one has been truncated by somebody, and counts as damaged. Once it has been made, the
 * lock file says so: a database that is missing in the same boot has been lost, and is rebuilt as well.
 */
#include "store_sql.h"

#include "base/boot.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "rebuild.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define APPLICATION_ID 0x4349504d /* "CIPM" */
#define USER_VERSION   1
#define DAMAGED_KEPT   2

#define NEW_FILE "new.db"

static const char schema[] =
	"CREATE TABLE pool(id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, hash BLOB NOT NULL,"
	" name TEXT NOT NULL, lo BLOB NOT NULL, hi BLOB NOT NULL, size BLOB NOT NULL,"
	" cursor BLOB NOT NULL, used INTEGER NOT NULL, UNIQUE(scope, hash));"
	"CREATE TABLE range(pool INTEGER, hi BLOB, lo BLOB NOT NULL, PRIMARY KEY(pool, hi))"
	" WITHOUT ROWID;"
	"CREATE TABLE extent(pool INTEGER, hi BLOB, lo BLOB NOT NULL, PRIMARY KEY(pool, hi))"
	" WITHOUT ROWID;"
	"CREATE TABLE lease(scope INTEGER, addr BLOB CHECK(length(addr) = 16),"
	" network TEXT NOT NULL, cid TEXT NOT NULL, ifname TEXT NOT NULL, slot INTEGER NOT NULL,"
	" held INTEGER NOT NULL, since INTEGER NOT NULL, free_at INTEGER NOT NULL,"
	" cooldown_s INTEGER NOT NULL, pool TEXT NOT NULL, pod TEXT NOT NULL, uid TEXT NOT NULL,"
	" netns TEXT NOT NULL, netns_dev INTEGER NOT NULL, netns_ino INTEGER NOT NULL,"
	" PRIMARY KEY(scope, addr)) WITHOUT ROWID;"
	"CREATE UNIQUE INDEX owner ON lease(network, cid, ifname, slot) WHERE held = 1;"
	"CREATE INDEX cool ON lease(scope, free_at) WHERE held = 0;"
	"CREATE TABLE source(key TEXT PRIMARY KEY, stamp TEXT NOT NULL, body TEXT NOT NULL)"
	" WITHOUT ROWID;"
	"PRAGMA application_id = " STRING(APPLICATION_ID) ";"
							  "PRAGMA user_version = " STRING(
								  USER_VERSION) ";";

static int open_db(struct store *store, const char *file, struct err *e)
{
	char path[STORE_DIR_MAX + 80];

	snprintf(path, sizeof(path), "%s/%s", store->path, file);
	if (sqlite3_open_v2(path, &store->db, SQLITE_OPEN_READWRITE, NULL))
		return sql_error(store, e, "open it");
	sqlite3_extended_result_codes(store->db, 1);
	/* The outer lock is what orders writers; this is for a person with the sqlite3 shell. */
	sqlite3_busy_timeout(store->db, 5000);
	return 0;
}

static void close_db(struct store *store)
{
	sqlite3_close(store->db);
	store->db = NULL;
}

static int read_pragma(struct store *store, const char *sql, int64_t *ret, struct err *e)
{
	auto_stmt sqlite3_stmt *s = NULL;
	int r = sql_prepare(store, &s, e, sql, "");

	if (!r)
		r = sql_step(store, s, e);
	if (r < 0)
		return r;
	*ret = sqlite3_column_int64(s, 0);
	return 0;
}

/*
 * The journal is kept between transactions (PERSIST): the cheapest of the modes that survive kill -9,
 * and a DEL on a full disk finds room for its rollback in it. MEMORY and OFF would not survive.
 */
static int open_checked(struct store *store, struct err *e)
{
	int64_t id, version;
	int r = open_db(store, store->file, e);

	r = r ?: sql_script(store, e, "PRAGMA locking_mode = EXCLUSIVE");
	r = r ?: read_pragma(store, "PRAGMA application_id", &id, e);
	r = r ?: read_pragma(store, "PRAGMA user_version", &version, e);
	if (r)
		return r;
	if (id != APPLICATION_ID)
		return err_set(e, CNI_ERR_IO, 0,
			       "lease database %s/%s belongs to another program "
			       "(application_id %#llx); move it away",
			       store->path, store->file, (long long)id);
	if (version > USER_VERSION)
		return err_set(
			e, CNI_ERR_IO, 0,
			"lease database %s/%s has version %lld, this program knows up to %d: "
			"install the newer cni-ipam again",
			store->path, store->file, (long long)version, USER_VERSION);
	return sql_script(store, e, "PRAGMA synchronous = OFF; PRAGMA journal_mode = PERSIST");
}

static void name_journal(char *ret, size_t size, const char *db)
{
	snprintf(ret, size, "%s-journal", db);
}

/* 0 when it is gone, however it came to be so; a directory may have been put in a file's place */
static int remove_file(struct store *store, const char *name)
{
	if (!unlinkat(store->dir, name, 0) || errno == ENOENT)
		return 0;
	return errno == EISDIR && !unlinkat(store->dir, name, AT_REMOVEDIR) ? 0 : -errno;
}

static int remove_db(struct store *store, const char *db)
{
	char journal[96];
	int r;

	name_journal(journal, sizeof(journal), db);
	r = remove_file(store, db);
	return r ? r : remove_file(store, journal);
}

/* The database first: without it a journal alone says nothing, while the reverse could look sound. */
static int rename_db(struct store *store, const char *from, const char *to)
{
	char from_journal[96], to_journal[96];

	if (renameat(store->dir, from, store->dir, to))
		return errno == ENOENT ? 0 : -errno;
	name_journal(from_journal, sizeof(from_journal), from);
	name_journal(to_journal, sizeof(to_journal), to);
	if (renameat(store->dir, from_journal, store->dir, to_journal) && errno != ENOENT)
		return -errno;
	return 0;
}

/* What an earlier boot left describes a machine state that is gone. */
static void remove_older_boots(struct store *store)
{
	int fd = openat(store->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_closedir DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (!strncmp(entry->d_name, "leases-", 7) &&
		    strncmp(entry->d_name, store->file, strlen(store->file)) != 0)
			unlinkat(store->dir, entry->d_name, 0);
}

static int insert_found(struct store *store, int64_t scope, const struct lease *lease,
			struct err *e)
{
	return sql_exec(store, e,
			"INSERT OR IGNORE INTO lease VALUES(?,?,?,?,?,?,1,?,0,?,'',?,?,?,?,?)",
			"iktttiiitttii", scope, addr_key_from(&lease->addr), lease->owner.network,
			lease->owner.cid, lease->owner.ifname, (int64_t)lease->slot,
			(int64_t)lease->since, (int64_t)lease->cooldown_s, lease->pod, lease->uid,
			lease->netns, (int64_t)lease->netns_dev, (int64_t)lease->netns_ino);
}

/* Is it held by this network already, as another source has told? */
static int is_entered(struct store *store, const struct lease *lease, struct err *e)
{
	auto_stmt sqlite3_stmt *s = NULL;
	int r = sql_prepare(store, &s, e,
			    "SELECT 1 FROM lease WHERE scope = 0 AND addr = ? AND network = ?",
			    "kt", addr_key_from(&lease->addr), lease->owner.network);

	return r ? r : sql_step(store, s, e);
}

/*
 * An address that is found is held in every scope. Found once more, for another network, it is on a
 * fabric of its own: then it is held in that network's scope, too.
 */
static int enter_found(const struct lease *lease, void *arg, struct err *e)
{
	struct store *store = arg;
	char name[NAME_MAX + 16];
	int r = insert_found(store, 0, lease, e);

	if (r || sqlite3_changes(store->db) || !*lease->owner.network)
		return r;
	r = is_entered(store, lease, e);
	if (r)
		return r < 0 ? r : 0;
	snprintf(name, sizeof(name), "network:%s", lease->owner.network);
	return insert_found(store, store_scope(name), lease, e);
}

/* Make the database under another name; complete, it takes its own. */
static int make(struct store *store, bool rebuild, struct err *e)
{
	char journal[96];
	int fd, r;

	remove_db(store, NEW_FILE);
	fd = openat(store->dir, NEW_FILE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(e, CNI_ERR_IO, errno, "create %s/" NEW_FILE, store->path);
	close(fd); /* before sqlite opens it: a later close would drop its POSIX locks */
	r = open_db(store, NEW_FILE, e);
	/* no journal: one that is not complete is thrown away */
	r = r ?: sql_script(store, e, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; BEGIN");
	r = r ?: sql_script(store, e, schema);
	if (!r && rebuild)
		r = rebuild_leases(store->boot, enter_found, store, e);
	r = r ?: sql_script(store, e, "COMMIT");
	close_db(store);
	if (r)
		return r;
	name_journal(journal, sizeof(journal),
		     store->file); /* of one that was set aside half way */
	r = remove_file(store, journal);
	if (!r && renameat(store->dir, NEW_FILE, store->dir, store->file))
		r = -errno;
	if (!r && pwrite(store->lock, store->boot, BOOT_ID_SIZE, 0) != BOOT_ID_SIZE)
		r = -errno;
	return r ? err_set(e, CNI_ERR_IO, r, "make lease database %s/%s", store->path, store->file)
		 : 0;
}

int store_file_rebuild(struct store *store, struct err *e)
{
	char name[32], older[32];
	int r = 0;

	close_db(store);
	for (int i = DAMAGED_KEPT; !r && i > 1; i--) {
		snprintf(older, sizeof(older), "damaged-%d.db", i);
		snprintf(name, sizeof(name), "damaged-%d.db", i - 1);
		r = remove_db(store, older);
		r = r ?: rename_db(store, name, older);
	}
	r = r ?: rename_db(store, store->file, "damaged-1.db");
	if (r)
		return err_set(e, CNI_ERR_IO, r, "set the damaged lease database %s/%s aside",
			       store->path, store->file);
	r = make(store, true, e);
	if (r) {
		err_prefix(e,
			   "the lease database was damaged and is set aside as %s/damaged-1.db, "
			   "a new one could not be made",
			   store->path);
		return r;
	}
	return open_checked(store, e);
}

/* Has a database been made in this boot, so that a missing one has been lost? */
static int was_made(struct store *store, bool *ret, struct err *e)
{
	char boot[BOOT_ID_SIZE];
	ssize_t n = pread(store->lock, boot, sizeof(boot), 0);

	if (n < 0)
		return err_set(e, CNI_ERR_IO, errno, "read the lock of %s", store->path);
	*ret = n == sizeof(boot) && !memcmp(boot, store->boot, BOOT_ID_SIZE);
	return 0;
}

static int open_missing(struct store *store, enum store_make how, bool *ret_there, struct err *e)
{
	bool made = false;
	int r = was_made(store, &made, e);

	if (r)
		return r;
	if (made) {
		log_warning("lease database %s/%s is lost; rebuilding it from what lives",
			    store->path, store->file);
		*ret_there = true;
		return store_file_rebuild(store, e);
	}
	if (how == STORE_IF_THERE)
		return 0;
	remove_older_boots(store);
	r = make(store, false, e);
	r = r ?: open_checked(store, e);
	*ret_there = !r;
	return r;
}

int store_file_open(struct store *store, enum store_make how, bool *ret_there, struct err *e)
{
	struct stat st;

	if (fstatat(store->dir, store->file, &st, AT_SYMLINK_NOFOLLOW)) {
		if (errno == ENOENT)
			return open_missing(store, how, ret_there, e);
		return err_set(e, CNI_ERR_IO, errno, "look at %s/%s", store->path, store->file);
	}
	*ret_there = true;
	if (!S_ISREG(st.st_mode) || !st.st_size) {
		err_set(e, CNI_ERR_IO, 0, "lease database %s/%s is %s", store->path, store->file,
			S_ISREG(st.st_mode) ? "empty" : "not a file");
		return STORE_DAMAGED;
	}
	return open_checked(store, e);
}
