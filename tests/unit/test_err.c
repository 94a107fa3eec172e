/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <errno.h>

static void set_appends_the_reason(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(err_set(&e, CNI_ERR_IO, ENOENT, "open %s", "/x"), -ENOENT);
	assert_int_equal(e.code, CNI_ERR_IO);
	assert_int_equal(e.sys, ENOENT);
	assert_string_equal(e.msg, "open /x: No such file or directory");
	assert_string_equal(e.details, "");
}

static void set_takes_either_sign(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(err_set(&e, CNI_ERR_IO, -EIO, "x"), -EIO);
	assert_int_equal(e.sys, EIO);
}

static void set_never_returns_success(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(err_set(&e, CNI_ERR_CONFIG, 0, "vlan: 5000"), -EINVAL);
	assert_int_equal(e.sys, 0);
	assert_string_equal(e.msg, "vlan: 5000");
}

static void set_replaces_what_was_there(void **state)
{
	struct err e;

	(void)state;
	err_set(&e, CNI_ERR_IO, EIO, "first");
	err_details(&e, "old %s", "words");
	err_set(&e, CNI_ERR_ENV, 0, "second");
	assert_int_equal(e.code, CNI_ERR_ENV);
	assert_string_equal(e.msg, "second");
	assert_string_equal(e.details, "");
}

static void long_texts_are_cut_not_overrun(void **state)
{
	char text[4 * sizeof(((struct err *)NULL)->details)];
	struct err e;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_set(&e, CNI_ERR_IO, EIO, "%s", text);
	err_details(&e, "%s", text);
	err_prefix(&e, "wanted");
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
	assert_int_equal(strlen(e.details), sizeof(e.details) - 1);
	assert_memory_equal(e.msg, "wanted: xxx", 11);
	err_prefix(&e, "%s", text);
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
}

static void prefix_keeps_the_rest(void **state)
{
	struct err e;

	(void)state;
	err_set(&e, CNI_ERR_IO, ENOENT, "open %s", "/x");
	err_details(&e, "more");
	err_prefix(&e, "attach %s", "net1");
	assert_string_equal(e.msg, "attach net1: open /x: No such file or directory");
	assert_string_equal(e.details, "more");
	assert_int_equal(e.code, CNI_ERR_IO);
	assert_int_equal(e.sys, ENOENT);
}

static void the_first_of_several_is_kept(void **state)
{
	struct err first = { 0 }, e;

	(void)state;
	err_set(&e, CNI_ERR_IO, 0, "one");
	err_keep_first(&first, &e);
	err_set(&e, CNI_ERR_ENV, 0, "two");
	err_keep_first(&first, &e);
	assert_string_equal(first.msg, "one");
	assert_int_equal(first.code, CNI_ERR_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_appends_the_reason),
		cmocka_unit_test(set_takes_either_sign),
		cmocka_unit_test(set_never_returns_success),
		cmocka_unit_test(set_replaces_what_was_there),
		cmocka_unit_test(long_texts_are_cut_not_overrun),
		cmocka_unit_test(prefix_keeps_the_rest),
		cmocka_unit_test(the_first_of_several_is_kept),
	};

	return cmocka_run_group_tests_name("err", tests, NULL, NULL);
}
