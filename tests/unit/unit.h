/* SPDX-License-Identifier: Apache-2.0 */
/* What the unit tests share: cmocka with what it wants included before, errors, directories. */
#pragma once

/* cmocka.h uses these, and does not include them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An error with this code, whose message has all of these texts in it. */
#define assert_err(e, want_code, ...) \
	unit_assert_err(e, want_code, (const char *[]){ __VA_ARGS__, NULL }, __FILE__, __LINE__)

static inline void unit_assert_err(const struct err *e, int code, const char *const *texts,
				   const char *file, int line)
{
	_assert_int_equal((LargestIntegralType)e->code, (LargestIntegralType)code, file, line);
	for (; *texts; texts++)
		if (!strstr(e->msg, *texts)) {
			print_error("message '%s' lacks '%s'\n", e->msg, *texts);
			_fail(file, line);
		}
}

/* A directory of its own for each test: unit_dir is its path, unit_dir_fd opens it. */
static char unit_dir[64];
static int unit_dir_fd = -1;

static inline int unit_dir_setup(void **state)
{
	(void)state;
	strcpy(unit_dir, "/tmp/cni-unit-XXXXXX");
	if (!mkdtemp(unit_dir))
		return -1;
	unit_dir_fd = open(unit_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return unit_dir_fd < 0 ? -1 : 0;
}

static inline int unit_dir_remove(const char *path, const struct stat *st, int type,
				  struct FTW *walk)
{
	(void)st;
	(void)type;
	(void)walk;
	return remove(path);
}

static inline int unit_dir_teardown(void **state)
{
	(void)state;
	close(unit_dir_fd);
	return nftw(unit_dir, unit_dir_remove, 8, FTW_DEPTH | FTW_PHYS);
}

#define unit_test_in_dir(test) \
	cmocka_unit_test_setup_teardown(test, unit_dir_setup, unit_dir_teardown)

/* unit_path() - a name in that directory; the text lasts until the next but three calls */
static inline const char *unit_path(const char *name)
{
	static char paths[4][256];
	static unsigned int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", unit_dir, name);
	return path;
}

/* unit_write() - make a file in that directory */
static inline void unit_write(const char *name, const char *text, mode_t mode)
{
	int fd = openat(unit_dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(close(fd), 0);
}
