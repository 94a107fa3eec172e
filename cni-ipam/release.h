/* SPDX-License-Identifier: Apache-2.0 */
/* Leases to be released: collected first, as a walk must not change what it walks through. */
#pragma once

#include "cni/conf.h"
#include "cni/env.h"
#include "store.h"

struct release_item {
	int64_t scope;
	struct inet_addr addr;
	uint64_t since; /* tells a lease from a later one of the same address */
};

struct release_list {
	struct release_item *v;
	size_t count, room;
};

struct release {
	const struct cni_env *env;
	const char *network;
	const struct cni_attachment *valid; /* GC: what stays */
	size_t valid_count;
	struct release_list list;
};

void release_done(struct release *release);
#define auto_release __attribute__((cleanup(release_done)))

/** release_collect() - a store_lease_fn whose argument is a release_list */
int release_collect(const struct lease *lease, void *arg, struct err *e);

/** release_all() - release what was collected */
int release_all(struct store *store, const struct release_list *list, struct err *e);

enum lease_life { LEASE_ALIVE, LEASE_GONE, LEASE_UNKNOWN };

/**
 * release_is_gone() - does the container of a lease live?
 *
 * Gone: nothing is at the namespace's path any more, or another namespace is. Not known, and so never
 * released: the lease has no path; or its directory is not there, or no namespace is mounted at the path,
 * which is what a mount namespace looks like that does not see the host's (a container's).
 */
enum lease_life release_is_gone(const struct lease *lease);
