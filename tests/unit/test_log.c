/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"

#include <errno.h>

/* What a file of the directory has in it; the caller frees it. */
static char *content(const char *name)
{
	char *text = NULL;

	assert_int_equal(file_read(unit_dir_fd, name, 100000, &text, NULL), 0);
	return text;
}

/* Send stderr into a file of the directory while a log is opened and written to. */
static char *stderr_of(const char *file)
{
	int was = dup(STDERR_FILENO);
	int fd = openat(unit_dir_fd, "stderr", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(was >= 0 && fd >= 0);
	dup2(fd, STDERR_FILENO);
	log_open("tag", LOG_INFO, file);
	log_info("hello");
	dup2(was, STDERR_FILENO);
	close(was);
	close(fd);
	return content("stderr");
}

static void levels_have_names(void **state)
{
	(void)state;
	assert_int_equal(log_level_parse("panic"), LOG_PANIC);
	assert_int_equal(log_level_parse("error"), LOG_ERROR);
	assert_int_equal(log_level_parse("warning"), LOG_WARNING);
	assert_int_equal(log_level_parse("info"), LOG_INFO);
	assert_int_equal(log_level_parse("debug"), LOG_DEBUG);
	assert_int_equal(log_level_parse(""), -EINVAL);
	assert_int_equal(log_level_parse("Info"), -EINVAL);
}

static void a_file_is_appended_to(void **state)
{
	auto_free char *text = NULL;
	struct stat st;

	(void)state;
	log_open("tag", LOG_INFO, unit_path("log"));
	log_info("one %d", 1);
	log_open("tag", LOG_INFO, unit_path("log"));
	log_error("two");
	text = content("log");
	assert_non_null(strstr(text, "Z tag: info: one 1\n")); /* after the time */
	assert_non_null(strstr(text, "Z tag: error: two\n"));
	assert_int_equal(fstatat(unit_dir_fd, "log", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

static void levels_above_are_dropped(void **state)
{
	auto_free char *text = NULL;

	(void)state;
	log_open("tag", LOG_WARNING, unit_path("log"));
	log_info("quiet");
	log_debug("quieter");
	log_warning("loud");
	text = content("log");
	assert_null(strstr(text, "quiet"));
	assert_non_null(strstr(text, "loud"));
}

static void hostile_text_stays_one_line(void **state)
{
	char big[5000];
	auto_free char *text = NULL;

	(void)state;
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	log_open("tag", LOG_INFO, unit_path("log"));
	log_info("a\nb\033[0m\t%s", big);
	text = content("log");
	assert_non_null(strstr(text, "a b [0m xxx"));
	assert_int_equal(text[strlen(text) - 1], '\n');
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

static void without_a_file_it_is_stderr(void **state)
{
	auto_free char *text = NULL;

	(void)state;
	log_open("tag", LOG_INFO, unit_path("log")); /* an earlier one is left */
	text = stderr_of("");
	assert_string_equal(text, "tag: info: hello\n");
}

static void a_bad_file_is_stderr_and_a_warning(void **state)
{
	static const char *const bad[] = { "none/log", "fifo", "link" };

	(void)state;
	assert_int_equal(mkfifo(unit_path("fifo"), 0600), 0);
	assert_int_equal(symlink("elsewhere", unit_path("link")), 0);
	for (size_t i = 0; i < array_size(bad); i++) {
		const char *path = unit_path(bad[i]);
		auto_free char *text = stderr_of(path);

		assert_non_null(strstr(text, "warning: log file "));
		assert_non_null(strstr(text, path));
		assert_non_null(strstr(text, "tag: info: hello\n"));
	}
	assert_int_equal(faccessat(unit_dir_fd, "elsewhere", F_OK, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_have_names),
		unit_test_in_dir(a_file_is_appended_to),
		unit_test_in_dir(levels_above_are_dropped),
		unit_test_in_dir(hostile_text_stays_one_line),
		unit_test_in_dir(without_a_file_it_is_stderr),
		unit_test_in_dir(a_bad_file_is_stderr_and_a_warning),
	};

	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
