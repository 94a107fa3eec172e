/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a verb costs must not grow with the leases. Timing cannot be a test on a busy machine, so
 * sqlite is asked: the linker puts a check before each statement that the verbs prepare (--wrap), and
 * none of them may walk through a table or sort.
 */
#include "unit.h"

#include "base/cleanup.h"
#include "verbs.h"

#include <errno.h>
#include <sqlite3.h>

static unsigned int checked;

int __real_sqlite3_prepare_v2(sqlite3 *db, const char *sql, int len, sqlite3_stmt **ret,
			      const char **tail);
int __wrap_sqlite3_prepare_v2(sqlite3 *db, const char *sql, int len, sqlite3_stmt **ret,
			      const char **tail);

/* One row a pool, of which there are few; and sqlite's own reading of its schema. */
static bool is_small(const char *plan, const char *sql)
{
	return strstr(plan, "SCAN pool") || strstr(plan, "SCAN main.sqlite_master") ||
	       (strstr(plan, "TEMP B-TREE") && strstr(sql, "FROM pool"));
}

static void check_plan(sqlite3 *db, const char *sql)
{
	char text[2048];
	sqlite3_stmt *s;

	snprintf(text, sizeof(text), "EXPLAIN QUERY PLAN %s", sql);
	if (__real_sqlite3_prepare_v2(db, text, -1, &s, NULL))
		return; /* PRAGMA and the like */
	while (sqlite3_step(s) == SQLITE_ROW) {
		const char *plan = (const char *)sqlite3_column_text(s, 3);

		checked++;
		if ((strstr(plan, "SCAN ") || strstr(plan, "TEMP B-TREE")) && !is_small(plan, sql))
			fail_msg("%s\n  in: %s", plan, sql);
	}
	sqlite3_finalize(s);
}

int __wrap_sqlite3_prepare_v2(sqlite3 *db, const char *sql, int len, sqlite3_stmt **ret,
			      const char **tail)
{
	check_plan(db, sql);
	return __real_sqlite3_prepare_v2(db, sql, len, ret, tail);
}

static struct err error;

static int call(cni_verb_fn *fn, enum cni_verb verb, const char *cid, const char *rest,
		json_t **ret_output)
{
	struct cni_call c = { .env = { .verb = verb,
				       .container_id = cid,
				       .ifname = "net1",
				       .netns = "/n",
				       .args = "",
				       .path = "" } };
	char json[1024];
	int r;

	snprintf(
		json, sizeof(json),
		"{\"cniVersion\":\"1.1.0\",\"name\":\"n\",%s\"ipam\":{\"type\":\"cni-ipam\",\"dataDir\":"
		"\"%s\",\"cooldown\":0,\"ranges\":[{\"subnet\":\"10.0.0.0/29\"},"
		"{\"subnet\":\"fd00::/64\"}]}}",
		rest, unit_dir);
	assert_int_equal(cni_conf_parse(json, strlen(json), verb, &c.conf, &error), 0);
	r = fn(&c, ret_output, &error);
	cni_conf_done(&c.conf);
	return r;
}

static void no_verb_walks_through_the_leases(void **state)
{
	json_auto_t *first = NULL, *again = NULL;
	json_t *output = NULL;
	char prev[512], cid[8];
	auto_free char *text = NULL;

	(void)state;
	assert_int_equal(call(verb_add, CNI_VERB_ADD, "a", "", &first), 0);
	assert_int_equal(call(verb_add, CNI_VERB_ADD, "a", "", &again), 0);
	assert_true(json_equal(first, again));
	text = json_dumps(first, JSON_COMPACT);
	snprintf(prev, sizeof(prev), "\"prevResult\":%s,", text);
	assert_int_equal(call(verb_check, CNI_VERB_CHECK, "a", prev, &output), 0);
	assert_int_equal(call(verb_status, CNI_VERB_STATUS, "", "", &output), 0);
	for (int i = 0; i < 5; i++) {
		json_auto_t *more = NULL;

		snprintf(cid, sizeof(cid), "c%d", i);
		assert_int_equal(call(verb_add, CNI_VERB_ADD, cid, "", &more), 0);
	}
	assert_int_equal(call(verb_add, CNI_VERB_ADD, "x", "", &output), -EINVAL);
	assert_int_equal(error.code, CNI_ERR_EXHAUSTED);
	assert_int_equal(call(verb_status, CNI_VERB_STATUS, "", "", &output), -EINVAL);
	assert_int_equal(error.code, CNI_ERR_UNAVAILABLE);
	assert_int_equal(call(verb_del, CNI_VERB_DEL, "a", "", &output), 0);
	assert_int_equal(call(verb_del, CNI_VERB_DEL, "a", "", &output), 0);
	assert_int_equal(call(verb_add, CNI_VERB_ADD, "x",
			      "\"runtimeConfig\":{\"ips\":[\"10.0.0.1\"]},", &output),
			 0);
	json_decref(output);
	output = NULL;
	assert_int_equal(
		call(verb_gc, CNI_VERB_GC, "", "\"cni.dev/valid-attachments\":[],", &output), 0);
	assert_true(checked > 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		unit_test_in_dir(no_verb_walks_through_the_leases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
