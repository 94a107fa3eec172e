/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/sysctl.h"

#include "base/cleanup.h"
#include "kernel/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* The namespace is looked up when the file is opened, and kept. */
static int open_in(int ns, int own_ns, const char *path, struct err *e)
{
	char full[PATH_MAX];
	struct err back;
	int fd, r;

	if ((size_t)snprintf(full, sizeof(full), "/proc/sys/net/%s", path) >= sizeof(full))
		return err_set(e, CNI_ERR_CONFIG, ENAMETOOLONG, "sysctl net/%s", path);
	r = netns_enter(ns, e);
	if (r)
		return r;
	fd = open(full, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		r = err_set(e, CNI_ERR_KERNEL, errno, "sysctl net/%s", path);
	if (netns_enter(own_ns, &back)) {
		if (fd >= 0)
			close(fd);
		*e = back;
		return -back.sys;
	}
	return fd < 0 ? r : fd;
}

int sysctl_net_set(int ns, int own_ns, const char *path, const char *value, struct err *e)
{
	auto_close int fd = open_in(ns, own_ns, path, e);
	char now[256];
	ssize_t n;

	if (fd < 0)
		return fd;
	n = pread(fd, now, sizeof(now) - 1, 0);
	if (n > 0) {
		now[n] = '\0';
		now[strcspn(now, "\n")] = '\0';
		if (!strcmp(now, value))
			return 0;
	}
	if (pwrite(fd, value, strlen(value), 0) < 0)
		return err_set(e, CNI_ERR_KERNEL, errno, "set sysctl net/%s to %s", path, value);
	return 0;
}
