/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "base/cleanup.h"
#include "report.h"

static struct report report;

static int setup(void **state)
{
	(void)state;
	report = (struct report){ .about = { .mode = "local",
					     .pod = "default/a",
					     .netns = "/run/netns/one",
					     .netns_inode = 4026532256 } };
	about_now(&report.about);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	report_done(&report);
	return 0;
}

static struct check *add(const char *id)
{
	struct check *c = report_add(&report, id, AREA_CONNECTIVITY);

	strcpy(c->device, "mlx5_0");
	strcpy(c->bdf, "0000:01:10.0");
	strcpy(c->ifname, "net1");
	return c;
}

static const char *text_at(const json_t *report_json, size_t i, const char *key)
{
	const json_t *check = json_array_get(json_object_get(report_json, "checks"), i);

	return json_string_value(json_object_get(check, key));
}

static void a_check_without_an_answer_is_no_pass(void **state)
{
	(void)state;
	assert_false(report_passed(&report)); /* nor is a report without a check */
	add("gid");
	assert_false(report_passed(&report));
	check_pass(&report.checks[0]);
	assert_true(report_passed(&report));
	check_not_applicable(add("cm"), "no address");
	assert_true(report_passed(&report));
	check_warn(add("mtu"), "wasted");
	assert_true(report_passed(&report));
	check_unread(add("loopback"), "it needs check port");
	assert_false(report_passed(&report));
}

static void what_failed_and_what_was_not_read_are_told_apart(void **state)
{
	json_auto_t *json = NULL;
	const json_t *checks;
	struct check *c;

	(void)state;
	c = add("gid");
	check_wants(c, "a GID for %s", "10.0.0.1");
	check_saw(c, "%d GIDs", 2);
	check_from(c, "table");
	check_fail(c, "none for %s", "10.0.0.1");
	check_unread(add("cm"), "no device node");
	c = add("mtu");
	c->values = json_pack("{s:i}", "activeMtu", 4096);
	check_warn(c, "wasted");

	json = report_to_json(&report);
	checks = json_object_get(json, "checks");
	assert_int_equal(json_array_size(checks), 3);
	assert_string_equal(text_at(json, 0, "status"), "fail");
	assert_true(json_is_true(json_object_get(json_array_get(checks, 0), "read")));
	assert_string_equal(text_at(json, 0, "id"), "gid");
	assert_string_equal(text_at(json, 0, "area"), "connectivity");
	assert_string_equal(text_at(json, 0, "device"), "mlx5_0");
	assert_string_equal(text_at(json, 0, "bdf"), "0000:01:10.0");
	assert_string_equal(text_at(json, 0, "interface"), "net1");
	assert_string_equal(text_at(json, 0, "expected"), "a GID for 10.0.0.1");
	assert_string_equal(text_at(json, 0, "observed"), "2 GIDs");
	assert_string_equal(text_at(json, 0, "source"), "table");
	assert_string_equal(text_at(json, 0, "reason"), "none for 10.0.0.1");
	assert_string_equal(text_at(json, 1, "status"), "fail");
	assert_true(json_is_false(json_object_get(json_array_get(checks, 1), "read")));
	assert_null(text_at(json, 1, "observed"));
	assert_string_equal(text_at(json, 2, "status"), "pass");
	assert_string_equal(text_at(json, 2, "warning"), "wasted");
	assert_int_equal(
		json_integer_value(json_object_get(
			json_object_get(json_array_get(checks, 2), "values"), "activeMtu")),
		4096);
}

static void a_report_says_where_and_when(void **state)
{
	static const char *const keys[] = { "tool",   "version", "mode", "status", "node",
					    "kernel", "bootId",	 "time", "pod",	   "netns" };
	json_auto_t *json = NULL;

	(void)state;
	check_pass(add("gid"));
	json = report_to_json(&report);
	for (size_t i = 0; i < array_size(keys); i++)
		if (!json_is_string(json_object_get(json, keys[i])))
			fail_msg("no %s", keys[i]);
	assert_string_equal(json_string_value(json_object_get(json, "status")), "pass");
	assert_string_equal(json_string_value(json_object_get(json, "pod")), "default/a");
	assert_int_equal(json_integer_value(json_object_get(json, "netnsInode")), 4026532256);
	assert_int_equal(strlen(json_string_value(json_object_get(json, "time"))),
			 strlen("2026-01-01T00:00:00Z"));
}

/* The kernel lets an interface have any bytes but a few for its name. */
static void odd_names_do_not_break_it(void **state)
{
	json_auto_t *json = NULL;
	struct check *c = add("gid");

	(void)state;
	strcpy(c->ifname, "\xff\xfe");
	check_fail(c, "%01000d", 1); /* longer than there is room for */
	json = report_to_json(&report);
	assert_string_equal(text_at(json, 0, "interface"), "?");
	assert_string_equal(text_at(json, 0, "status"), "fail");
	assert_int_equal(strlen(text_at(json, 0, "reason")), sizeof(c->reason) - 1);
}

static void people_see_what_failed_and_why(void **state)
{
	auto_free char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct check *c;

	(void)state;
	check_pass(add("open"));
	c = add("gid");
	check_wants(c, "a GID");
	check_fail(c, "there is none");
	c = report_add(&report, "device", AREA_INTERFACES);
	strcpy(c->device, "mlx5_1");
	check_unread(c, "netlink broke");
	check_not_applicable(add("cm"), "no address");
	assert_non_null(out);
	report_print(&report, out);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "mlx5_0, 0000:01:10.0, net1\n"));
	assert_non_null(strstr(text, "  FAIL           gid "));
	assert_non_null(strstr(text, "there is none\n"));
	assert_non_null(strstr(text, "expected: a GID\n"));
	assert_non_null(strstr(text, "  FAIL, not read device "));
	assert_non_null(strstr(text, "4 checks, 2 failed\n"));
	assert_true(strstr(text, "no address") < strstr(text, "mlx5_1")); /* by device */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_check_without_an_answer_is_no_pass, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_failed_and_what_was_not_read_are_told_apart,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_report_says_where_and_when, setup, teardown),
		cmocka_unit_test_setup_teardown(odd_names_do_not_break_it, setup, teardown),
		cmocka_unit_test_setup_teardown(people_see_what_failed_and_why, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
