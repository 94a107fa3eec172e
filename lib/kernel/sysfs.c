/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/sysfs.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/number.h"
#include "kernel/netns.h"
#include "kernel/sysfs_path.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

int pci_addr_parse(const char *text, char ret[PCI_ADDR_MAX])
{
	size_t domain = strspn(text, "0123456789abcdefABCDEF");
	const char *rest = text + domain;
	int i;

	if (domain < 4 || domain > 8)
		return -EINVAL;
	/* ":BB:DD.F" */
	if (rest[0] != ':' || !isxdigit((unsigned char)rest[1]) ||
	    !isxdigit((unsigned char)rest[2]) || rest[3] != ':' ||
	    !isxdigit((unsigned char)rest[4]) || !isxdigit((unsigned char)rest[5]) ||
	    rest[6] != '.' || rest[7] < '0' || rest[7] > '7' || rest[8])
		return -EINVAL;
	for (i = 0; text[i]; i++)
		ret[i] = (char)tolower((unsigned char)text[i]);
	ret[i] = '\0';
	return 0;
}

int sysfs_open(const char *root, struct err *e)
{
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? err_set(e, CNI_ERR_IO, errno, "open %s", root) : fd;
}

int sysfs_device_path(char path[SYSFS_PATH_MAX], const char *bdf, const char *fmt, ...)
{
	int n = snprintf(path, SYSFS_PATH_MAX, "bus/pci/devices/%s", bdf);
	va_list ap;
	int m;

	va_start(ap, fmt);
	m = vsnprintf(path + n, (size_t)(SYSFS_PATH_MAX - n), fmt, ap);
	va_end(ap);
	return n + m < SYSFS_PATH_MAX ? 0 : -ENAMETOOLONG;
}

int sysfs_link_base(int sysfs, const char *path, char *ret, size_t size)
{
	char target[SYSFS_PATH_MAX];
	ssize_t n = readlinkat(sysfs, path, target, sizeof(target) - 1);
	const char *base;

	if (n < 0)
		return -errno;
	if (n == sizeof(target) - 1)
		return -EOVERFLOW;
	target[n] = '\0';
	base = strrchr(target, '/');
	base = base ? base + 1 : target;
	if (strlen(base) >= size)
		return -EOVERFLOW;
	strcpy(ret, base);
	return 0;
}

static int mount_detached(void)
{
	auto_close int fs = fsopen("sysfs", FSOPEN_CLOEXEC);
	int mnt;

	if (fs < 0 || fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		return -errno;
	mnt = fsmount(fs, FSMOUNT_CLOEXEC,
		      MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	return mnt < 0 ? -errno : mnt;
}

int sysfs_open_in(int ns, int own_ns, struct err *e)
{
	struct err back;
	int fd, r = netns_enter(ns, e);

	if (r)
		return r;
	fd = mount_detached(); /* of the namespace that the thread is in (fs/sysfs/mount.c) */
	if (netns_enter(own_ns, &back)) {
		if (fd >= 0)
			close(fd);
		*e = back;
		return -back.sys;
	}
	return fd < 0 ? err_set(e, CNI_ERR_KERNEL, fd, "mount the pod's sysfs") : fd;
}

int sysfs_mount_own(struct err *e)
{
	const unsigned long flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;

	if (unshare(CLONE_NEWNS))
		return err_set(e, CNI_ERR_KERNEL, errno, "make a mount namespace");
	if (mount("none", "/", "none", MS_REC | MS_SLAVE, NULL))
		return err_set(e, CNI_ERR_KERNEL, errno, "keep mounts to this process");
	if (mount("sysfs", "/sys", "sysfs", flags, NULL))
		return err_set(e, CNI_ERR_KERNEL, errno, "mount the namespace's sysfs");
	return 0;
}

/* Not by faccessat(2), for which the kernel makes credentials anew, and which takes ten times as long. */
int sysfs_pci_exists(int sysfs, const char *bdf)
{
	char path[SYSFS_PATH_MAX];
	struct stat st;
	int r = sysfs_device_path(path, bdf, "%s", "");

	if (!r && fstatat(sysfs, path, &st, 0))
		r = -errno;
	if (r)
		return file_is_gone(r) ? 0 : r;
	return 1;
}

int sysfs_pci_driver(int sysfs, const char *bdf, char *ret, size_t size)
{
	char path[SYSFS_PATH_MAX];
	int r;

	sysfs_device_path(path, bdf, "/driver");
	r = sysfs_link_base(sysfs, path, ret, size);
	if (r)
		*ret = '\0';
	return file_is_gone(r) ? 0 : r;
}

int sysfs_pci_pf(int sysfs, const char *bdf, char ret[PCI_ADDR_MAX])
{
	char path[SYSFS_PATH_MAX];

	sysfs_device_path(path, bdf, "/physfn");
	return sysfs_link_base(sysfs, path, ret, PCI_ADDR_MAX);
}

static int read_number(int sysfs, const char *path, uint64_t *ret)
{
	char line[32];
	ssize_t n = file_read_line(sysfs, path, line, sizeof(line));

	return n < 0 ? (int)n : number_parse(line, UINT64_MAX, ret);
}

/* Bus, device and function as the 16-bit routing id that SR-IOV counts in (PCIe base specification, 9.2.1.2). */
static int64_t routing_id(const char *bdf)
{
	unsigned int bus = 0, dev = 0, fn = 0;

	sscanf(strchr(bdf, ':') + 1, "%x:%x.%u", &bus, &dev, &fn);
	return (int64_t)(bus << 8 | dev << 3 | fn);
}

/* First VF offset and stride give the number without a look at each virtfn link. */
static int guess_vf_index(int sysfs, const char *pf, const char *bdf, uint64_t *ret)
{
	uint64_t offset, stride;
	char path[SYSFS_PATH_MAX];
	int64_t distance;
	int r;

	sysfs_device_path(path, pf, "/sriov_offset");
	r = read_number(sysfs, path, &offset);
	if (r)
		return r;
	sysfs_device_path(path, pf, "/sriov_stride");
	r = read_number(sysfs, path, &stride);
	if (r)
		return r;
	distance = routing_id(bdf) - routing_id(pf) - (int64_t)offset;
	if (distance < 0)
		return -ENOENT;
	*ret = stride ? (uint64_t)distance / stride : 0; /* the stride is 0 when there is one VF */
	return 0;
}

/* 1, 0, or an error */
static int is_vf_number(int sysfs, const char *pf, const char *bdf, uint64_t index)
{
	char path[SYSFS_PATH_MAX], found[PCI_ADDR_MAX];
	int r;

	sysfs_device_path(path, pf, "/virtfn%llu", (unsigned long long)index);
	r = sysfs_link_base(sysfs, path, found, sizeof(found));
	if (r)
		return file_is_gone(r) ? 0 : r;
	return !strcmp(found, bdf);
}

int sysfs_pci_vf_index(int sysfs, const char *pf, const char *bdf, uint32_t *ret)
{
	uint64_t index, count;
	char path[SYSFS_PATH_MAX];
	int r;

	if (!guess_vf_index(sysfs, pf, bdf, &index) && is_vf_number(sysfs, pf, bdf, index) > 0) {
		*ret = (uint32_t)index;
		return 0;
	}
	sysfs_device_path(path, pf, "/sriov_numvfs");
	r = read_number(sysfs, path, &count);
	if (r)
		return r;
	for (index = 0; index < count; index++) {
		r = is_vf_number(sysfs, pf, bdf, index);
		if (r < 0)
			return r;
		if (r) {
			*ret = (uint32_t)index;
			return 0;
		}
	}
	return -ENOENT;
}

/* Not by readdir(3), which takes three more system calls and 32 KiB of heap for a handful of names. */
int sysfs_for_each(int sysfs, const char *path, int (*fn)(const char *name, void *arg), void *arg)
{
	auto_close int fd = openat(sysfs, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_Alignas(struct dirent64) char entries[4096];
	ssize_t len;
	int r = 0;

	if (fd < 0)
		return -errno;
	while (!r && (len = getdents64(fd, entries, sizeof(entries)))) {
		if (len < 0)
			return -errno;
		for (ssize_t at = 0; !r && at < len;) {
			const struct dirent64 *d = (const void *)(entries + at);

			if (d->d_name[0] != '.')
				r = fn(d->d_name, arg);
			at += d->d_reclen;
		}
	}
	return r;
}

static int keep_ifname(const char *name, void *arg)
{
	if (strlen(name) >= IFNAMSIZ)
		return 0;
	strcpy(arg, name);
	return 1;
}

int sysfs_pci_netdev(int sysfs, const char *bdf, char ret[IFNAMSIZ])
{
	char path[SYSFS_PATH_MAX];
	int r;

	sysfs_device_path(path, bdf, "/net");
	r = sysfs_for_each(sysfs, path, keep_ifname, ret);
	if (r <= 0)
		return r ? r : -ENOENT;
	return 0;
}

struct uplink_search {
	int sysfs;
	const char *pf;
	char *ret;
};

static int match_uplink(const char *name, void *arg)
{
	const struct uplink_search *search = arg;
	char path[SYSFS_PATH_MAX], port[32];
	ssize_t n;

	sysfs_device_path(path, search->pf, "/net/%s/phys_port_name", name);
	n = file_read_line(search->sysfs, path, port, sizeof(port));
	/* EOPNOTSUPP from drivers without port names; a representor's is pfNvfM or pfNsfM */
	if (err_is_shortage((int)n))
		return (int)n;
	if (n > 0 && !(port[0] == 'p' && isdigit((unsigned char)port[1])))
		return 0;
	return keep_ifname(name, search->ret);
}

int sysfs_pci_uplink(int sysfs, const char *pf, char ret[IFNAMSIZ])
{
	struct uplink_search search = { sysfs, pf, ret };
	char path[SYSFS_PATH_MAX];
	int r;

	sysfs_device_path(path, pf, "/net");
	r = sysfs_for_each(sysfs, path, match_uplink, &search);
	if (r <= 0)
		return r ? r : -ENOENT;
	return 0;
}

int sysfs_pci_lock(int sysfs, const char *bdf, unsigned int timeout_ms, struct err *e)
{
	char path[SYSFS_PATH_MAX];
	int lock;

	sysfs_device_path(path, bdf, "%s", "");
	lock = lock_take_dir(sysfs, path, timeout_ms, e);
	if (lock >= 0)
		fcntl(lock, F_SETFD, 0); /* without FD_CLOEXEC, delegates inherit it */
	return lock;
}
