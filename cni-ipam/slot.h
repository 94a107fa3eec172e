/* SPDX-License-Identifier: Apache-2.0 */
/* What an ADD is to give: one slot for each set of each pool of the configuration. */
#pragma once

#include "conf.h"

struct slot {
	const struct pool *pool;
	const struct set *set;
	struct store_pool row; /* the set in the store */
	struct inet_addr wanted; /* asked for by the caller; AF_UNSPEC = any */
	bool is_gateway; /* it is the gateway that is asked for (allocateDefaultGateway) */
	struct inet_addr given; /* AF_UNSPEC = not yet */
	uint32_t number; /* what the lease's slot is */
};

struct slots {
	struct pool *named; /* read from the pools directory */
	size_t named_count;
	struct slot *v;
	size_t count;
};

/**
 * slots_load() - read the pools that are named, and enter what is new of them into the store
 * @ret: what it held is freed first, as the transaction may be run again
 */
int slots_load(struct slots *ret, const struct conf *conf, struct store *store, struct err *e);

/**
 * slots_match_requested() - give each requested address to the first slot whose subnet it lies in
 * Errors: 7, when one lies in no subnet, in one that is served already, or no interface may have it.
 */
int slots_match_requested(struct slots *slots, const struct conf *conf, struct err *e);

#define SLOT_TEXT (NAME_MAX + INET_TEXT + 32)

/** slot_describe() - "pool 'gpu' (10.0.0.0/24)", for messages; returns @buf */
const char *slot_describe(const struct slot *slot, char buf[SLOT_TEXT]);

/** slot_exhausted() - fill the error of a slot that has no free address: 11 if some cool, else 102 */
int slot_exhausted(struct store *store, const struct slot *slot, struct err *e);

void slots_done(struct slots *slots);
#define auto_slots __attribute__((cleanup(slots_done)))
