/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the store have in common: a store in the test's own directory, pools and leases of 10.0.0.x. */
#pragma once

#include "unit.h"

#include "base/boot.h"
#include "store.h"

static const uint8_t hash_a[STORE_HASH] = { 1 }, hash_b[STORE_HASH] = { 2 };

static inline struct inet_addr addr(unsigned int i)
{
	return (struct inet_addr){ .family = AF_INET, .bytes = { 10, 0, 0, (uint8_t)i } };
}

static inline addr_key key(unsigned int i)
{
	struct inet_addr a = addr(i);

	return addr_key_from(&a);
}

static inline struct lease lease_of(const struct store_pool *pool, const struct inet_addr *a,
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
static inline int open_pool(struct store *store, const char *scope, const uint8_t hash[STORE_HASH],
			    const struct range_list *ranges, struct store_pool *ret, struct err *e)
{
	const char *name = hash == hash_a ? "a/0" : "b/0";
	bool found = false;
	int64_t id = store_scope(scope);
	int r = store_pool_find(store, id, hash, ret, &found, e);

	return r || found ? r : store_pool_make(store, id, hash, name, ranges, ret, e);
}

static inline void run(store_fn *fn, void *arg)
{
	struct err e = { 0 };
	int r = store_run(unit_dir, STORE_MAKE, fn, arg, &e);

	if (r)
		print_error("%s\n", e.msg);
	assert_int_equal(r, 0);
}

static inline const char *db_name(void)
{
	static char name[64];
	char boot[BOOT_ID_SIZE];
	struct err e;

	assert_int_equal(boot_id(boot, &e), 0);
	snprintf(name, sizeof(name), "leases-%s.db", boot);
	return name;
}
