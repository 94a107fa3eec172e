/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The leases, in one sqlite database per boot of the machine.
 *
 * Theory of operation. A lease is worth nothing after the boot in which it was given, so the boot id is
 * part of the file's name and nothing has to survive a power cut: synchronous=OFF, no fsync. What has to
 * survive is kill -9 at any instruction, which sqlite's rollback journal in a file gives.
 *
 * `lease` is the truth: one row per address and scope, so that the primary key itself makes a double
 * impossible. A scope is a place where an address may exist once: a fabric, or one network of a
 * configuration with its own ranges. `pool`, `range` and `extent` are a cache made from the configuration
 * minus the leases: extents are the free addresses of a pool, so that the next free one is one index
 * seek, whatever the size. A pool's row is found by what its ranges are (their hash), so a changed
 * configuration is another row, and two networks with one range in one scope share one. Several pools of
 * a scope may overlap: what is taken leaves the extents of each of them.
 *
 * A released lease cools: it keeps its row, and so its address, until its time has come; the next ADDs
 * put such addresses back into the extents, a few at a time.
 *
 * Rows of scope 0 hold an address in every scope. They are made when a damaged store is rebuilt from
 * what lives (rebuild.h), where it is not known any more which scope an address belonged to.
 */
#pragma once

#include "range.h"

#include "base/err.h"
#include "base/inet.h"

#include <stdbool.h>
#include <stdint.h>

#define STORE_DIR_MAX 400 /* longest data directory: sqlite takes paths of up to 512 bytes */

struct store;

/* Who holds an address: the attachment. The pod is information, since its name can be used again. */
struct owner {
	const char *network, *cid, *ifname;
};

/* Strings are borrowed, never NULL; where a lease is handed to a callback, until that returns. */
struct lease {
	int64_t scope;
	struct inet_addr addr;
	struct owner owner;
	uint32_t slot; /* which of the configuration's addresses it is */
	bool held; /* false = cooling */
	uint64_t since, free_at; /* clock_ms() when given, and when it has cooled off */
	uint32_t cooldown_s; /* how long it will cool once released */
	const char *pool; /* the pool's name, or "" for ranges of the configuration */
	const char *pod; /* NAMESPACE/NAME, or "" */
	const char *uid; /* of the pod, or "" */
	const char *netns; /* path, or "" */
	uint64_t netns_dev, netns_ino; /* what that path was; 0 = not known */
};

/* Something done in one transaction. It may be done again, on a rebuilt store, so it must only set. */
typedef int store_fn(struct store *store, void *arg, struct err *e);

enum store_make {
	STORE_MAKE, /* make the directory and the database when missing */
	STORE_IF_THERE, /* without them there is nothing to do: the function is not called */
};

/**
 * store_run() - do something with the leases: all of it, or nothing
 * @dir: the data directory, absolute
 *
 * Takes the outer lock, opens the database, and runs @fn in a transaction, which is committed when it
 * returns 0. A damaged database is set aside and rebuilt from what lives, then @fn runs again.
 *
 * Errors: those of @fn; 11 when the lock's deadline passed; 5 for the file system's, for a foreign
 * database, or one of a newer version.
 */
int store_run(const char *dir, enum store_make make, store_fn *fn, void *arg, struct err *e);

/* Leases. A callback may stop the walk with a negative value, which is then returned. */
typedef int store_lease_fn(const struct lease *lease, void *arg, struct err *e);

/** store_leases_of() - what an owner holds, in the order of slots: scope, addr and slot alone */
int store_leases_of(struct store *store, const struct owner *owner, store_lease_fn *fn, void *arg,
		    struct err *e);

/** store_leases() - all held ones, of one network or (NULL) all; @cooling: those that cool, too */
int store_leases(struct store *store, const char *network, bool cooling, store_lease_fn *fn,
		 void *arg, struct err *e);

/** store_lease_at() - who has an address in a scope, held or cooling; @fn is called for up to two rows */
int store_lease_at(struct store *store, int64_t scope, const struct inet_addr *addr,
		   store_lease_fn *fn, void *arg, struct err *e);

/** store_give() - enter a lease, whose address must be free in the scope; since is set here */
int store_give(struct store *store, const struct lease *lease, struct err *e);

/** store_end_cooling() - make an address that cools ready to be given, before its time */
int store_end_cooling(struct store *store, int64_t scope, const struct inet_addr *addr,
		      struct err *e);

/** store_release() - let a held lease cool, from now on, for its cooldown_s */
int store_release(struct store *store, int64_t scope, const struct inet_addr *addr, struct err *e);

/* Pools. */
struct store_pool {
	int64_t id, scope;
};

#define STORE_HASH 16

/**
 * store_scope() - the number of a scope, made of its name (FNV-1a)
 *
 * Two names with one number would share their addresses: none would be given twice.
 */
int64_t store_scope(const char *name);

/** store_pool_find() - a pool by scope and hash of its ranges; *ret_found tells whether it is there */
int store_pool_find(struct store *store, int64_t scope, const uint8_t hash[STORE_HASH],
		    struct store_pool *ret, bool *ret_found, struct err *e);

/**
 * store_pool_make() - enter a pool, its extents being its ranges minus the scope's leases
 * @name: for people, and to go on where an earlier form of the same pool was
 */
int store_pool_make(struct store *store, int64_t scope, const uint8_t hash[STORE_HASH],
		    const char *name, const struct range_list *ranges, struct store_pool *ret,
		    struct err *e);

/**
 * store_next() - the next free address, round robin from the last one
 * @ret: stays AF_UNSPEC when none is free. It is free until store_give() takes it.
 */
int store_next(struct store *store, const struct store_pool *pool, struct inet_addr *ret,
	       struct err *e);

/** store_move_cursor() - the next round starts after this address */
int store_move_cursor(struct store *store, const struct store_pool *pool,
		      const struct inet_addr *after, struct err *e);

/** store_coolest() - the cooling address of a pool that is free first; AF_UNSPEC when none cools */
int store_coolest(struct store *store, const struct store_pool *pool, struct inet_addr *ret,
		  uint64_t *ret_free_at, struct err *e);

struct store_usage {
	addr_key size, held, cooling, free;
};

/** store_usage() - count a pool's addresses; O(its extents and the scope's cooling leases) */
int store_usage(struct store *store, const struct store_pool *pool, struct store_usage *ret,
		struct err *e);

/* A pool as the store knows it; @name is "NAME/SET", of a pool file or a network. */
typedef int store_pool_fn(const struct store_pool *pool, const char *name,
			  const struct range *bounds, void *arg, struct err *e);

/** store_pools() - each pool in its newest form, by name */
int store_pools(struct store *store, store_pool_fn *fn, void *arg, struct err *e);

/* What has been read from a pool file, so that it is read again only after a change. */
int store_source_get(struct store *store, const char *key, char **ret_stamp, char **ret_body,
		     struct err *e);
int store_source_put(struct store *store, const char *key, const char *stamp, const char *body,
		     struct err *e);
