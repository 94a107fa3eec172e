/* SPDX-License-Identifier: Apache-2.0 */
#include "place.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "cni/mark.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PROGRAM_MODE  0755
#define PROGRAM_LIMIT ((size_t)64 << 20)

int place_open(const char *path, struct err *e)
{
	char part[PATH_MAX];
	auto_close int fd = -1;
	char *save = NULL;

	if (*path != '/' || strlen(path) >= sizeof(part))
		return err_set(e, CNI_ERR_IO, EINVAL, "'%s' is not an absolute path", path);
	strcpy(part, path);
	fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (char *name = strtok_r(part, "/", &save); name && fd >= 0;
	     name = strtok_r(NULL, "/", &save)) {
		int next = dir_open_at(fd, name, false);

		if (next < 0) {
			err_set(e, CNI_ERR_IO, next, "%s: '%s' cannot be opened", path, name);
			if (next == -ENOTDIR)
				err_details(
					e,
					"A link is not followed: give the path that it leads to.");
			return next;
		}
		close(fd);
		fd = next;
	}
	return fd < 0 ? err_set(e, CNI_ERR_IO, errno, "open /") : take_fd(&fd);
}

int place_read(int dir, const char *name, char **ret, size_t *ret_len)
{
	return file_read(dir, name, PROGRAM_LIMIT, ret, ret_len);
}

static bool is_ours(const char *data, size_t len)
{
	static const struct cni_mark mark = { CNI_MARK_HEAD };

	return memmem(data, len, &mark, offsetof(struct cni_mark, desc));
}

/* Is the file already what it is to be? What cannot be read is not. */
static bool is_same(int dir, const char *name, const struct stat *st, const void *data, size_t len)
{
	auto_free char *there = NULL;
	size_t there_len;

	return S_ISREG(st->st_mode) && (st->st_mode & 07777) == PROGRAM_MODE &&
	       st->st_uid == geteuid() && (size_t)st->st_size == len &&
	       !place_read(dir, name, &there, &there_len) && there_len == len &&
	       !memcmp(there, data, len);
}

static int write_synced(int dir, const char *name, const char *data, size_t len)
{
	auto_close int fd =
		openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
	}
	/* Executable only once it is whole; and the name must not reach the disk before the content. */
	return fchmod(fd, PROGRAM_MODE) || fsync(fd) ? -errno : 0;
}

/* The temporary file's name; one that a killed run left is removed. */
static int make_tmp_name(int dir, const char *name, char tmp[NAME_MAX + 1], struct err *e)
{
	snprintf(tmp, NAME_MAX + 1, ".%s.cni-sriov-rdma-new", name);
	if (unlinkat(dir, tmp, 0) && errno != ENOENT)
		return err_set(e, CNI_ERR_IO, errno, "remove %s, which an earlier run left", tmp);
	return 0;
}

int place_put(int dir, const char *name, const void *data, size_t len,
	      enum place_outcome *ret_outcome, struct err *e)
{
	enum place_outcome outcome = PLACE_REPLACED;
	char tmp[NAME_MAX + 1];
	struct stat st;
	int r = make_tmp_name(dir, name, tmp, e);

	if (r)
		return r;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW)) {
		if (errno != ENOENT)
			return err_set(e, CNI_ERR_IO, errno, "look at %s", name);
		outcome = PLACE_NEW;
	} else if (is_same(dir, name, &st, data, len)) {
		*ret_outcome = PLACE_SAME;
		return 0;
	}
	r = write_synced(dir, tmp, data, len);
	if (r)
		err_set(e, CNI_ERR_IO, r, "write %s", tmp);
	else if (renameat(dir, tmp, dir, name) || fsync(dir))
		r = err_set(e, CNI_ERR_IO, errno, "rename %s to %s", tmp, name);
	if (r) {
		unlinkat(dir, tmp, 0);
		return r;
	}
	*ret_outcome = outcome;
	return 0;
}

int place_remove(int dir, const char *name, enum place_outcome *ret_outcome, struct err *e)
{
	auto_free char *data = NULL;
	char tmp[NAME_MAX + 1];
	size_t len;
	int r = make_tmp_name(dir, name, tmp, e);

	if (r)
		return r;
	r = place_read(dir, name, &data, &len);
	if (r == -ENOENT) {
		*ret_outcome = PLACE_ABSENT;
		return 0;
	}
	/* A link, a directory, something larger than a plugin, or that only its owner may read. */
	if (r == -ELOOP || r == -EISDIR || r == -EINVAL || r == -EFBIG || r == -EACCES ||
	    (!r && !is_ours(data, len))) {
		*ret_outcome = PLACE_FOREIGN;
		return 0;
	}
	if (r)
		return err_set(e, CNI_ERR_IO, r, "read %s", name);
	if (unlinkat(dir, name, 0) || fsync(dir))
		return err_set(e, CNI_ERR_IO, errno, "remove %s", name);
	*ret_outcome = PLACE_REMOVED;
	return 0;
}
