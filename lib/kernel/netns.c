/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/netns.h"

#include "base/cleanup.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

static bool is_netns(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == NSFS_MAGIC &&
	       ioctl(fd, NS_GET_NSTYPE) == CLONE_NEWNET;
}

int netns_open(const char *path, struct err *e)
{
	/* O_NONBLOCK: a FIFO at that path must not block */
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return err_set(e, CNI_ERR_ENV, errno, "CNI_NETNS %s", path);
	if (!is_netns(fd))
		return err_set(e, CNI_ERR_ENV, ENXIO, "CNI_NETNS %s is not a network namespace",
			       path);
	return take_fd(&fd);
}

int netns_open_own(struct err *e)
{
	int fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? err_set(e, CNI_ERR_IO, errno, "open this process's network namespace") : fd;
}

int netns_enter(int ns, struct err *e)
{
	if (setns(ns, CLONE_NEWNET))
		return err_set(e, CNI_ERR_KERNEL, errno, "enter a network namespace");
	return 0;
}

int netns_id(int ns, struct netns_id *ret, struct err *e)
{
	struct stat st;

	if (fstat(ns, &st))
		return err_set(e, CNI_ERR_IO, errno, "stat a network namespace");
	*ret = (struct netns_id){ .dev = st.st_dev, .ino = st.st_ino };
	return 0;
}

bool netns_id_equal(const struct netns_id *a, const struct netns_id *b)
{
	return a->dev == b->dev && a->ino == b->ino;
}

int netns_find(const struct netns_id *id)
{
	auto_closedir DIR *proc = opendir("/proc");
	const struct dirent *d;

	while (proc && (d = readdir(proc))) {
		char path[sizeof("/proc//ns/net") + NAME_MAX];
		struct stat st;

		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/ns/net", d->d_name);
		if (!stat(path, &st) &&
		    netns_id_equal(id, &(struct netns_id){ st.st_dev, st.st_ino })) {
			auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);

			/* the process may have ended, and its number be another's, since stat */
			if (fd >= 0 && !fstat(fd, &st) &&
			    netns_id_equal(id, &(struct netns_id){ st.st_dev, st.st_ino }))
				return take_fd(&fd);
		}
	}
	return -ENOENT;
}
