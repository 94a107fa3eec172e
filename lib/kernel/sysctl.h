/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a network namespace below /proc/sys/net. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define SYSCTL_VALUE_MAX \
	256 /* a value's text and its NUL; longer ones are lists that no attachment needs */

/**
 * sysctl_net_get() - read one of a namespace's settings
 * @ret: the value without its newline
 *
 * As sysctl_net_set() has it; -EOVERFLOW for a value of SYSCTL_VALUE_MAX and more.
 */
int sysctl_net_get(int ns, int own_ns, const char *path, char ret[SYSCTL_VALUE_MAX], struct err *e);

/** sysctl_value_equal() - the same words? The kernel writes tabs between them where people write blanks. */
bool sysctl_value_equal(const char *a, const char *b);

/**
 * sysctl_net_set() - set one of a namespace's settings
 * @ns: the namespace; @own_ns: the caller's, to come back to
 * @path: relative to /proc/sys/net, e.g. "ipv6/conf/net1/disable_ipv6"
 *
 * /proc/sys/net shows the namespace of the process that looks (net/sysctl_net.c), so no mount is needed.
 * What has the value already is not written.
 *
 * Return: 0; -ENOENT when there is no such setting (code 100).
 */
int sysctl_net_set(int ns, int own_ns, const char *path, const char *value, struct err *e);
