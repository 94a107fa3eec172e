/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "base/boot.h"
#include "base/cleanup.h"
#include "base/file.h"

#include <errno.h>

static void read_gives_the_whole(void **state)
{
	auto_free char *text = NULL;
	size_t len = 0;

	(void)state;
	unit_write("f", "one\ntwo\n", 0600);
	assert_int_equal(file_read(unit_dir_fd, "f", 100, &text, &len), 0);
	assert_int_equal(len, 8);
	assert_string_equal(text, "one\ntwo\n");
}

static void read_has_a_limit(void **state)
{
	auto_free char *text = NULL;

	(void)state;
	unit_write("f", "12345678", 0600);
	assert_int_equal(file_read(unit_dir_fd, "f", 7, &text, NULL), -EFBIG);
	/* of a procfs file the size is not known beforehand */
	assert_int_equal(file_read(AT_FDCWD, "/proc/self/stat", 7, &text, NULL), -EFBIG);
	assert_null(text);
	assert_int_equal(file_read(unit_dir_fd, "f", 8, &text, NULL), 0);
	assert_string_equal(text, "12345678");
}

static void read_refuses_what_is_no_file(void **state)
{
	auto_free char *text = NULL;

	(void)state;
	unit_write("f", "x", 0600);
	assert_int_equal(symlink("f", unit_path("link")), 0);
	assert_int_equal(mkfifo(unit_path("fifo"), 0600), 0);
	assert_int_equal(file_read(unit_dir_fd, "none", 9, &text, NULL), -ENOENT);
	assert_int_equal(file_read(unit_dir_fd, ".", 9, &text, NULL), -EISDIR);
	assert_int_equal(file_read(unit_dir_fd, "link", 9, &text, NULL), -ELOOP);
	assert_int_equal(file_read(unit_dir_fd, "fifo", 9, &text, NULL), -EINVAL); /* at once */
	assert_null(text);
}

static void read_line_stops_at_the_newline(void **state)
{
	char buf[8];

	(void)state;
	unit_write("f", "one\ntwo\n", 0600);
	assert_int_equal(file_read_line(unit_dir_fd, "f", buf, sizeof(buf)), 3);
	assert_string_equal(buf, "one");
	unit_write("f", "seven77", 0600); /* without a newline, and just fitting */
	assert_int_equal(file_read_line(unit_dir_fd, "f", buf, sizeof(buf)), 7);
	assert_string_equal(buf, "seven77");
	unit_write("f", "", 0600);
	assert_int_equal(file_read_line(unit_dir_fd, "f", buf, sizeof(buf)), 0);
	assert_string_equal(buf, "");
	unit_write("f", "eight888", 0600);
	assert_int_equal(file_read_line(unit_dir_fd, "f", buf, sizeof(buf)), -EOVERFLOW);
	assert_int_equal(file_read_line(unit_dir_fd, "none", buf, sizeof(buf)), -ENOENT);
}

static void write_replaces_as_a_whole(void **state)
{
	auto_free char *text = NULL;
	struct stat st;

	(void)state;
	unit_write("f", "a much longer old content", 0644);
	unit_write("f.tmp", "left by one that was killed", 0644);
	assert_int_equal(file_write_atomic(unit_dir_fd, "f", "new", 3, 0600), 0);
	assert_int_equal(file_read(unit_dir_fd, "f", 100, &text, NULL), 0);
	assert_string_equal(text, "new");
	assert_int_equal(fstatat(unit_dir_fd, "f", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(faccessat(unit_dir_fd, "f.tmp", F_OK, 0), -1);
}

static void write_that_fails_leaves_the_old(void **state)
{
	char name[300];

	(void)state;
	assert_int_equal(mkdirat(unit_dir_fd, "d", 0700), 0);
	assert_int_equal(file_write_atomic(unit_dir_fd, "d", "new", 3, 0600), -EISDIR);
	assert_int_equal(faccessat(unit_dir_fd, "d.tmp", F_OK, 0), -1); /* and nothing beside it */
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(file_write_atomic(unit_dir_fd, name, "new", 3, 0600), -ENAMETOOLONG);
}

static void dir_open_makes_what_is_missing(void **state)
{
	auto_close int fd = -1, at = -1;
	struct stat st;

	(void)state;
	assert_int_equal(dir_open(unit_path("a/b/c"), false), -ENOENT);
	fd = dir_open(unit_path("a/b/c"), true);
	assert_true(fd >= 0);
	assert_int_equal(fstatat(unit_dir_fd, "a/b", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	at = dir_open_at(fd, "d", true);
	assert_true(at >= 0);
	assert_int_equal(faccessat(unit_dir_fd, "a/b/c/d", F_OK, 0), 0);
	assert_int_equal(dir_open("relative/and/missing", true), -EINVAL);
}

static void dir_open_refuses_what_is_no_directory(void **state)
{
	(void)state;
	unit_write("f", "x", 0600);
	assert_int_equal(symlink("/tmp", unit_path("link")), 0);
	assert_int_equal(dir_open(unit_path("f"), true), -ENOTDIR);
	assert_int_equal(dir_open(unit_path("f/x"), true), -ENOTDIR);
	assert_int_equal(dir_open_at(unit_dir_fd, "link", true), -ENOTDIR);
	assert_int_equal(dir_open_at(unit_dir_fd, "none", false), -ENOENT);
}

static void boot_id_is_a_uuid(void **state)
{
	char one[BOOT_ID_SIZE], two[BOOT_ID_SIZE];
	struct err e;

	(void)state;
	assert_int_equal(boot_id(one, &e), 0);
	assert_int_equal(boot_id(two, &e), 0);
	assert_int_equal(strlen(one), 36);
	assert_string_equal(one, two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		unit_test_in_dir(read_gives_the_whole),
		unit_test_in_dir(read_has_a_limit),
		unit_test_in_dir(read_refuses_what_is_no_file),
		unit_test_in_dir(read_line_stops_at_the_newline),
		unit_test_in_dir(write_replaces_as_a_whole),
		unit_test_in_dir(write_that_fails_leaves_the_old),
		unit_test_in_dir(dir_open_makes_what_is_missing),
		unit_test_in_dir(dir_open_refuses_what_is_no_directory),
		cmocka_unit_test(boot_id_is_a_uuid),
	};

	return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
