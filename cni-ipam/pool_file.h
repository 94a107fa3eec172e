/* SPDX-License-Identifier: Apache-2.0 */
/* The pools directory: JSON files, each a pool of our own form or nv-ipam objects. */
#pragma once

#include "conf.h"

/**
 * pool_file_load() - find a pool by name and read this node's part of it
 * @store: remembers what was read, so that the next call looks at the file's times only; or NULL
 *
 * NAME.json is looked at first. Only when it does not hold the pool are the other files read: nv-ipam's
 * objects may be in a file of any name, several in a List.
 *
 * Errors: 7, naming file, field and value; 5 for a file that cannot be read.
 */
int pool_file_load(struct store *store, const struct conf *conf, const char *name, struct pool *ret,
		   struct err *e);

/* One pool of the directory; @why tells what is wrong with it, then @pool is NULL. */
typedef int pool_file_fn(const char *file, const char *name, const struct pool *pool,
			 const struct err *why, void *arg);

/** pool_file_each() - each pool of each *.json file, in alphabetical order */
int pool_file_each(const char *dir, const char *node, pool_file_fn *fn, void *arg, struct err *e);

/** pool_file_check() - each pool of one file */
int pool_file_check(const char *path, const char *node, pool_file_fn *fn, void *arg, struct err *e);
