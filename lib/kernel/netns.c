/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/netns.h"

#include "base/cleanup.h"
#include "base/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

static int check_netns(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return -errno;
	return fs.f_type == NSFS_MAGIC && ioctl(fd, NS_GET_NSTYPE) == CLONE_NEWNET ? 0 : -ENXIO;
}

int netns_open(const char *path, struct err *e)
{
	/* O_NONBLOCK: a FIFO at that path must not block */
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int r;

	if (fd < 0)
		return err_set(e, CNI_ERR_ENV, errno, "CNI_NETNS %s", path);
	r = check_netns(fd);
	if (r)
		return err_set(e, CNI_ERR_ENV, r, "CNI_NETNS %s%s", path,
			       r == -ENXIO ? " is not a network namespace" : "");
	return take_fd(&fd);
}

bool netns_is_gone(int r)
{
	return r == -ENOENT || r == -ENOTDIR || r == -ELOOP || r == -ESRCH || r == -ENXIO;
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
	return a->dev == b->dev && a->ino == b->ino &&
	       (a->cookie == b->cookie || !a->cookie || !b->cookie);
}

/* Not for want of anything here: its process has ended meanwhile, or is hidden (proc(5), hidepid). */
static bool is_process_gone(int error)
{
	return error == ENOENT || error == ESRCH || error == EACCES || error == EPERM;
}

/* Call @fn with the id of each process's namespace, until it returns something else than 0, which is returned. */
static int for_each_process(int (*fn)(const char *path, const struct netns_id *id, void *arg),
			    void *arg)
{
	auto_closedir DIR *proc = opendir("/proc");
	const struct dirent *d;
	int r = 0;

	if (!proc)
		return -errno;
	while (!r && !(r = dir_next(proc, &d)) && d) {
		char path[sizeof("/proc//ns/net") + NAME_MAX];
		struct stat st;

		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/ns/net", d->d_name);
		if (!stat(path, &st))
			r = fn(path, &(struct netns_id){ .dev = st.st_dev, .ino = st.st_ino }, arg);
		else if (!is_process_gone(errno))
			r = -errno;
	}
	return r;
}

struct netns_search {
	const struct netns_id *id;
	int fd;
};

static int open_if_equal(const char *path, const struct netns_id *id, void *arg)
{
	struct netns_search *search = arg;
	auto_close int fd = -1;
	struct stat st;

	if (!netns_id_equal(id, search->id))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return is_process_gone(errno) ? 0 : -errno;
	if (fstat(fd, &st))
		return -errno;
	/* since it was looked at, its number may have become another process's */
	if (!netns_id_equal(&(struct netns_id){ .dev = st.st_dev, .ino = st.st_ino }, search->id))
		return 0;
	search->fd = take_fd(&fd);
	return 1;
}

int netns_find(const struct netns_id *id, struct err *e)
{
	struct netns_search search = { .id = id };
	int r = for_each_process(open_if_equal, &search);

	if (r < 0)
		return err_set(e, CNI_ERR_IO, r, "look for a network namespace in /proc");
	return r ? search.fd : -ENOENT;
}

struct netns_set {
	struct netns_id *ids;
	unsigned int count;
};

static int add_to_set(const char *path, const struct netns_id *id, void *arg)
{
	struct netns_set *set = arg;
	void *grown;

	(void)path;
	for (unsigned int i = 0; i < set->count; i++)
		if (netns_id_equal(&set->ids[i], id))
			return 0;
	grown = reallocarray(set->ids, set->count + 1, sizeof(*set->ids));
	if (!grown)
		return -ENOMEM;
	set->ids = grown;
	set->ids[set->count++] = *id;
	return 0;
}

unsigned int netns_count(void)
{
	struct netns_set set = { 0 };

	for_each_process(add_to_set, &set);
	free(set.ids);
	return set.count ? set.count - 1 : 0;
}
