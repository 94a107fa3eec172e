/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Read up to size bytes or the end. */
static ssize_t read_full(int fd, char *buf, size_t size)
{
	size_t len = 0;

	while (len < size) {
		ssize_t n = read(fd, buf + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	return (ssize_t)len;
}

bool file_is_gone(int r)
{
	return r == -ENOENT || r == -ENOTDIR || r == -ENODEV;
}

bool file_is_unfit(int r)
{
	return r == -EISDIR || r == -EINVAL || r == -EFBIG || r == -ELOOP || r == -EOVERFLOW;
}

int file_read(int dir, const char *path, size_t limit, char **ret, size_t *ret_len)
{
	/* O_NONBLOCK: opening a FIFO that somebody put there must not block */
	auto_close int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	auto_free char *buf = NULL;
	struct stat st;
	size_t room;
	ssize_t len;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	if (st.st_size > 0 && (size_t)st.st_size > limit)
		return -EFBIG;
	/* files of procfs have no size: ask for the limit, then */
	room = st.st_size > 0 ? (size_t)st.st_size : limit;
	buf = malloc(room + 2);
	if (!buf)
		return -ENOMEM;
	len = read_full(fd, buf, room + 1);
	if (len < 0)
		return (int)len;
	if ((size_t)len > limit)
		return -EFBIG;
	buf[len] = '\0';
	if (ret_len)
		*ret_len = (size_t)len;
	*ret = take_ptr(buf);
	return 0;
}

ssize_t file_read_line(int dir, const char *path, char *buf, size_t size)
{
	auto_close int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n;
	char *end;

	if (fd < 0)
		return -errno;
	/* an attribute of sysfs is whole in one read, and ends with a newline: no need to read its end */
	do {
		n = read(fd, buf + len, size - len);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			len += (size_t)n;
		end = memchr(buf, '\n', len);
	} while (!end && len < size && n);
	if (!end && len == size)
		return -EOVERFLOW;
	if (!end)
		end = buf + len;
	*end = '\0';
	return end - buf;
}

static int write_full(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Others shall read what is meant for them, whatever the umask. */
static int write_content(int fd, const void *data, size_t len, mode_t mode)
{
	int r = write_full(fd, data, len);

	return !r && mode & 077 && fchmod(fd, mode) ? -errno : r;
}

/* Write a file that has no name yet, and so vanishes with its writer. */
static int write_nameless(int dir, const void *data, size_t len, mode_t mode, int *ret_fd)
{
	auto_close int fd = openat(dir, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
	int r;

	if (fd < 0)
		return -errno;
	r = write_content(fd, data, len, mode);
	if (!r)
		*ret_fd = take_fd(&fd);
	return r;
}

static int give_name(int fd, int dir, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd); /* AT_EMPTY_PATH wants a capability */
	return linkat(AT_FDCWD, path, dir, name, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

/* A file system that knows no nameless files (NFS, an old overlay): under the temporary name from the start. */
static int write_named(int dir, const char *tmp, const void *data, size_t len, mode_t mode)
{
	auto_close int fd =
		openat(dir, tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);

	return fd < 0 ? -errno : write_content(fd, data, len, mode);
}

int file_write_atomic(int dir, const char *name, const void *data, size_t len, mode_t mode)
{
	char tmp[NAME_MAX + 1];
	auto_close int fd = -1;
	int r;

	if ((size_t)snprintf(tmp, sizeof(tmp), "%s.tmp", name) >= sizeof(tmp))
		return -ENAMETOOLONG;
	r = write_nameless(dir, data, len, mode, &fd);
	if (r && r != -EOPNOTSUPP && r != -EISDIR)
		return r;
	if (!r) {
		r = give_name(fd, dir, name);
		if (r != -EEXIST)
			return r;
	}
	if (unlinkat(dir, tmp, 0) && errno != ENOENT) /* left by a writer that was killed */
		return -errno;
	r = fd >= 0 ? give_name(fd, dir, tmp) : write_named(dir, tmp, data, len, mode);
	if (!r && renameat(dir, tmp, dir, name))
		r = -errno;
	if (r)
		unlinkat(dir, tmp, 0);
	return r;
}

int dir_next(DIR *dir, const struct dirent **ret)
{
	errno = 0;
	*ret = readdir(dir);
	return *ret ? 0 : -errno;
}

int dir_open_at(int dir, const char *name, bool make)
{
	int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
	int fd = openat(dir, name, flags);

	if (fd < 0 && errno == ENOENT && make) {
		if (mkdirat(dir, name, 0700) && errno != EEXIST)
			return -errno;
		fd = openat(dir, name, flags);
	}
	return fd < 0 ? -errno : fd;
}

int dir_open(const char *path, bool make)
{
	return dir_open_mode(path, make, 0700);
}

int dir_open_mode(const char *path, bool make, mode_t mode)
{
	char part[PATH_MAX];
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno != ENOENT || !make)
		return -errno;
	if (*path != '/')
		return -EINVAL;
	if (strlen(path) >= sizeof(part))
		return -ENAMETOOLONG;
	strcpy(part, path);
	for (char *slash = strchr(part + 1, '/');; slash = strchr(slash + 1, '/')) {
		if (slash)
			*slash = '\0';
		if (mkdir(part, mode) && errno != EEXIST)
			return -errno;
		if (!slash)
			break;
		*slash = '/';
	}
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
