/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that read sysfs share; for them only. */
#pragma once

#include <limits.h>
#include <stddef.h>

/*
 * Room for a path below /sys, whose parts are short names; not PATH_MAX, a page of stack, which is cleared and faulted in
 * for each of the dozens that a verb makes.
 */
#define SYSFS_PATH_MAX 512

/** sysfs_device_path() - "bus/pci/devices/BDF" and what the format adds; 0 or -ENAMETOOLONG */
int sysfs_device_path(char path[SYSFS_PATH_MAX], const char *bdf, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** sysfs_link_base() - the last component of what a link points to */
int sysfs_link_base(int sysfs, const char *path, char *ret, size_t size);

/** sysfs_for_each() - call @fn for each entry of a directory that is not hidden, until it returns non-zero */
int sysfs_for_each(int sysfs, const char *path, int (*fn)(const char *name, void *arg), void *arg);
