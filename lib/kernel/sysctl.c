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
static int open_in(int ns, int own_ns, const char *path, int flags, struct err *e)
{
	char full[PATH_MAX];
	struct err back;
	int fd, r;

	if ((size_t)snprintf(full, sizeof(full), "/proc/sys/net/%s", path) >= sizeof(full))
		return err_set(e, CNI_ERR_CONFIG, ENAMETOOLONG, "sysctl net/%s", path);
	r = netns_enter(ns, e);
	if (r)
		return r;
	fd = open(full, flags | O_CLOEXEC);
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

/* The kernel gives a setting as a whole at one read from its beginning (kernel/sysctl.c). */
static int read_value(int fd, char ret[SYSCTL_VALUE_MAX])
{
	ssize_t n = pread(fd, ret, SYSCTL_VALUE_MAX, 0);

	if (n < 0)
		return -errno;
	if (n == SYSCTL_VALUE_MAX)
		return -EOVERFLOW;
	ret[n] = '\0';
	ret[strcspn(ret, "\n")] = '\0';
	return 0;
}

int sysctl_net_get(int ns, int own_ns, const char *path, char ret[SYSCTL_VALUE_MAX], struct err *e)
{
	auto_close int fd = open_in(ns, own_ns, path, O_RDONLY, e);
	char value[SYSCTL_VALUE_MAX];
	int r;

	if (fd < 0)
		return fd;
	r = read_value(fd, value);
	if (r)
		return err_set(e, CNI_ERR_KERNEL, r, "read sysctl net/%s", path);
	strcpy(ret, value);
	return 0;
}

bool sysctl_value_equal(const char *a, const char *b)
{
	static const char blanks[] = " \t";

	for (;;) {
		size_t len_a, len_b;

		a += strspn(a, blanks);
		b += strspn(b, blanks);
		if (!*a || !*b)
			return *a == *b;
		len_a = strcspn(a, blanks);
		len_b = strcspn(b, blanks);
		if (len_a != len_b || memcmp(a, b, len_a) != 0)
			return false;
		a += len_a;
		b += len_b;
	}
}

int sysctl_net_set(int ns, int own_ns, const char *path, const char *value, struct err *e)
{
	char now[SYSCTL_VALUE_MAX];
	auto_close int fd = -1;
	int r = sysctl_net_get(ns, own_ns, path, now, e);

	if (!r && sysctl_value_equal(now, value))
		return 0; /* also what can only be read, on the way back */
	if (r && r != -EOVERFLOW)
		return r;
	fd = open_in(ns, own_ns, path, O_WRONLY, e);
	if (fd < 0)
		return fd;
	if (pwrite(fd, value, strlen(value), 0) < 0)
		return err_set(e, CNI_ERR_KERNEL, errno, "set sysctl net/%s to %s", path, value);
	return 0;
}
