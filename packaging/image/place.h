/* SPDX-License-Identifier: Apache-2.0 */
/* One program in the host's CNI directory: put there, and taken away. */
#pragma once

#include "base/err.h"

#include <stddef.h>

/* What came of it. */
enum place_outcome {
	PLACE_SAME, /* was there already, byte for byte */
	PLACE_NEW, /* there was none of this name */
	PLACE_REPLACED, /* another file of this name was there */
	PLACE_REMOVED,
	PLACE_FOREIGN, /* not one of this project's: left alone */
	PLACE_ABSENT,
};

/**
 * place_open() - open the directory
 * @path: absolute; no component of it may be a link, which would lead elsewhere than on the host, where it was made
 *
 * Return: a descriptor that the caller closes, or a negative errno with @e filled.
 */
int place_open(const char *path, struct err *e);

/**
 * place_put() - make a file of the directory be this program, mode 0755
 * @dir: locked by the caller
 * @name: a link of this name is replaced, not followed
 * @data: the program, @len bytes
 *
 * Whoever starts the program at any moment, or after a crash at any instruction, gets the old one or the new one; one
 * that runs goes on running. A temporary file that a killed run left is removed.
 */
int place_put(int dir, const char *name, const void *data, size_t len,
	      enum place_outcome *ret_outcome, struct err *e);

/** place_remove() - remove a file if it is a program of this project, of any version; and what a killed run left */
int place_remove(int dir, const char *name, enum place_outcome *ret_outcome, struct err *e);

/** place_read() - read a program, at most 64 MiB; the caller frees it */
int place_read(int dir, const char *name, char **ret, size_t *ret_len);
