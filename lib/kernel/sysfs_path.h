/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that read sysfs share; for them only. */
#pragma once

#include <limits.h>

/** sysfs_device_path() - "bus/pci/devices/BDF" and what the format adds; 0 or -ENAMETOOLONG */
int sysfs_device_path(char path[PATH_MAX], const char *bdf, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** sysfs_for_each() - call @fn for each entry of a directory that is not hidden, until it returns non-zero */
int sysfs_for_each(int sysfs, const char *path, int (*fn)(const char *name, void *arg), void *arg);
