/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a network namespace below /proc/sys/net. */
#pragma once

#include "base/err.h"

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
