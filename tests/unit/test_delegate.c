/* SPDX-License-Identifier: Apache-2.0 */
/* The delegates are shell scripts, written into the test's own directory. */
#include "unit.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "cni/delegate.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#define ADDRESS "{\"ips\":[{\"address\":\"10.0.0.1/24\"}]}"

static struct cni_env env;

static int setup(void **state)
{
	if (unit_dir_setup(state))
		return -1;
	signal(SIGPIPE, SIG_IGN);
	env = (struct cni_env){
		.verb = CNI_VERB_ADD,
		.container_id = "c1",
		.netns = "/run/netns/x",
		.ifname = "net1",
		.args = "A=b",
		.path = unit_dir,
	};
	return 0;
}

static void script(const char *name, const char *text)
{
	auto_free char *whole = NULL;

	assert_true(asprintf(&whole, "#!/bin/sh\n%s\n", text) > 0);
	unit_write(name, whole, 0755);
}

/* Run the delegate "ipam" with a configuration of about @size bytes. */
static int run_sized(size_t size, json_t **ret, struct err *e)
{
	json_auto_t *conf = json_pack("{s:s}", "name", "n");
	auto_free char *filler = malloc(size + 1);

	assert_true(conf && filler);
	memset(filler, 'x', size);
	filler[size] = '\0';
	json_object_set_new(conf, "filler", json_string(filler));
	memset(e, 0, sizeof(*e));
	return cni_delegate(&env, "ipam", conf, ret, e);
}

static int run(json_t **ret, struct err *e)
{
	return run_sized(0, ret, e);
}

static void assert_file(const char *name, const char *should)
{
	auto_free char *text = NULL;

	assert_int_equal(file_read(unit_dir_fd, name, 10 << 20, &text, NULL), 0);
	assert_string_equal(text, should);
}

static void it_gets_configuration_and_parameters(void **state)
{
	json_auto_t *result = NULL;
	struct err e;

	(void)state;
	setenv("CNI_IFNAME", "the callers own", 1);
	setenv("CNI_NETNS_OVERRIDE", "1", 1);
	setenv("OTHER", "kept", 1);
	script("ipam", "cd \"${0%/*}\" && cat >stdin && env >environ\n"
		       "for v in COMMAND CONTAINERID NETNS IFNAME ARGS PATH NETNS_OVERRIDE; do\n"
		       "  grep ^CNI_$v= environ >>cni || echo no $v >>cni; done\n"
		       "echo $OTHER >other; echo '" ADDRESS "'");
	if (run(&result, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(json_array_size(json_object_get(result, "ips")), 1);
	assert_file("stdin", "{\"name\":\"n\",\"filler\":\"\"}");
	assert_file("other", "kept\n");
	{
		char should[256];

		snprintf(should, sizeof(should),
			 "CNI_COMMAND=ADD\nCNI_CONTAINERID=c1\nCNI_NETNS=/run/netns/x\n"
			 "CNI_IFNAME=net1\nCNI_ARGS=A=b\nCNI_PATH=%s\nCNI_NETNS_OVERRIDE=1\n",
			 unit_dir);
		assert_file("cni", should);
	}
}

static void unknown_numbers_and_keys_pass_unchanged(void **state)
{
	static const char text[] = "{\"b\":0.1,\"a\":[9223372036854775807,-1,1.0,1e300,null],"
				   "\"\xc3\xa9\":{\"\":\"\\n\\\"\"}}";
	json_auto_t *conf = json_loads(text, 0, NULL), *seen = NULL;
	struct err e;

	(void)state;
	script("ipam", "cat >\"${0%/*}/stdin\"; echo '" ADDRESS "'");
	assert_int_equal(cni_delegate(&env, "ipam", conf, NULL, &e), 0);
	seen = json_load_file(unit_path("stdin"), 0, NULL);
	assert_true(json_equal(conf, seen));
}

static void the_path_is_searched_in_order(void **state)
{
	char path[512];
	json_auto_t *result = NULL;
	struct err e;

	(void)state;
	for (int i = 0; i < 5; i++) {
		char name[8];

		snprintf(name, sizeof(name), "%d", i);
		assert_int_equal(mkdirat(unit_dir_fd, name, 0755), 0);
	}
	assert_int_equal(mkdirat(unit_dir_fd, "1/ipam", 0755), 0); /* no file */
	unit_write("2/ipam", "#!/bin/sh\n", 0644); /* not executable */
	script("3/ipam", "cat >/dev/null; echo '{\"from\":3}'");
	script("4/ipam", "cat >/dev/null; echo '{\"from\":4}'");
	snprintf(path, sizeof(path), "::%1$s/0:%1$s/1:%1$s/2::%1$s/3:%1$s/4:", unit_dir);
	env.path = path;
	if (run(&result, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(json_integer_value(json_object_get(result, "from")), 3);
}

static void one_that_is_not_there_names_the_path(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(run(NULL, &e), -ENOENT);
	assert_err(&e, CNI_ERR_CONFIG, "plugin ipam", "CNI_PATH", unit_dir);
	env.path = "";
	assert_int_equal(run(NULL, &e), -ENOENT);
}

static void names_that_lead_elsewhere_are_refused(void **state)
{
	static const char *const bad[] = {
		"", ".", "..", "../ipam", "/bin/true", "x/ipam", "ipam/"
	};
	struct err e;

	(void)state;
	script("ipam", "exit 0");
	for (size_t i = 0; i < array_size(bad); i++) {
		assert_int_equal(cni_delegate(&env, bad[i], json_null(), NULL, &e), -EINVAL);
		assert_err(&e, CNI_ERR_CONFIG, "not the name of a plugin", bad[i]);
	}
}

static void its_error_is_passed_on(void **state)
{
	struct err e;

	(void)state;
	script("ipam", "cat >/dev/null\n"
		       "echo '{\"cniVersion\":\"1.0.0\",\"code\":102,\"msg\":\"none left\","
		       "\"details\":\"all 254 are taken\"}'; exit 1");
	assert_true(run(NULL, &e) < 0);
	assert_int_equal(e.code, 102);
	assert_string_equal(e.msg, "ipam: none left");
	assert_string_equal(e.details, "all 254 are taken");
}

static void a_failure_without_an_error_object(void **state)
{
	static const char *const outputs[] = {
		"",
		"panic: x",
		"{}",
		"[]",
		"{\"code\":0}",
		"{\"code\":-1}",
		"{\"code\":\"7\"}",
		"{\"code\":9999999999,\"msg\":\"x\"}",
		"{\"code\":7,\"msg\":[]}",
	};
	struct err e;

	(void)state;
	for (size_t i = 0; i < array_size(outputs); i++) {
		char text[128];

		snprintf(text, sizeof(text), "cat >/dev/null; echo '%s'; exit 3", outputs[i]);
		script("ipam", text);
		assert_true(run(NULL, &e) < 0);
		assert_err(&e, CNI_ERR_DECODE, "plugin ipam ended with status 3");
	}
}

static void a_death_by_signal(void **state)
{
	struct err e;

	(void)state;
	script("ipam", "kill -SEGV $$");
	assert_true(run(NULL, &e) < 0);
	assert_err(&e, CNI_ERR_IO, "plugin ipam was ended by signal 11");
}

static void success_needs_a_result(void **state)
{
	json_t *result = NULL;
	struct err e;

	(void)state;
	script("ipam", "cat >/dev/null");
	assert_true(run(&result, &e) < 0);
	assert_err(&e, CNI_ERR_DECODE, "plugin ipam gave no result for ADD", "printed nothing");
	script("ipam", "cat >/dev/null; echo hello");
	assert_true(run(&result, &e) < 0);
	assert_err(&e, CNI_ERR_DECODE, "plugin ipam gave no result for ADD");
	script("ipam", "cat >/dev/null; echo '[1]'");
	assert_true(run(NULL, &e) < 0);
	assert_err(&e, CNI_ERR_DECODE, "not an object");
	script("ipam", "cat >/dev/null; echo '{}{}'"); /* exactly one */
	assert_true(run(NULL, &e) < 0);
	assert_err(&e, CNI_ERR_DECODE, "end of file expected");
	assert_null(result);
}

static void other_verbs_need_none(void **state)
{
	static const enum cni_verb verbs[] = { CNI_VERB_DEL, CNI_VERB_CHECK, CNI_VERB_GC,
					       CNI_VERB_STATUS };

	(void)state;
	script("ipam", "cat >/dev/null; echo $CNI_COMMAND >\"${0%/*}/verb\"; echo noise");
	for (size_t i = 0; i < array_size(verbs); i++) {
		json_t *result = json_true();
		char line[16];
		struct err e;

		env.verb = verbs[i];
		assert_int_equal(run(&result, &e), 0);
		assert_null(result);
		snprintf(line, sizeof(line), "%s\n", cni_verb_name(verbs[i]));
		assert_file("verb", line);
	}
}

/* Both pipes are fuller than they hold: whoever does one after the other hangs. */
static void printing_before_reading_is_no_deadlock(void **state)
{
	json_auto_t *result = NULL;
	struct err e;

	(void)state;
	script("ipam", "head -c 500000 /dev/zero | tr '\\0' ' '; wc -c >\"${0%/*}/count\"\n"
		       "echo '" ADDRESS "'");
	if (run_sized(500000, &result, &e))
		fail_msg("%s", e.msg);
	assert_file("count", "500024\n");
}

static void reading_nothing_is_no_error(void **state)
{
	json_auto_t *result = NULL;
	struct err e;

	(void)state;
	script("ipam", "exec <&-; echo '" ADDRESS "'");
	if (run_sized(500000, &result, &e))
		fail_msg("%s", e.msg);
	assert_non_null(result);
}

static void closing_its_output_first_loses_no_input(void **state)
{
	struct err e;

	(void)state;
	env.verb = CNI_VERB_DEL;
	script("ipam", "exec >&-; wc -c >\"${0%/*}/count\"");
	assert_int_equal(run_sized(500000, NULL, &e), 0);
	assert_file("count", "500024\n");
}

static void endless_output_is_cut_off(void **state)
{
	struct err e;

	(void)state;
	/* one that does not end when nobody reads any more: it has to be killed */
	script("ipam", "trap '' PIPE; head -c 5000000 /dev/zero; exec sleep 60");
	assert_int_equal(run(NULL, &e), -EFBIG);
	assert_err(&e, CNI_ERR_DECODE, "plugin ipam printed above 4194304 bytes");
}

static void one_that_cannot_be_run(void **state)
{
	struct err e;

	(void)state;
	unit_write("ipam", "neither a script nor a program", 0755);
	assert_true(run(NULL, &e) < 0);
	assert_err(&e, CNI_ERR_IO, "run ", unit_path("ipam"));
}

static void it_inherits_no_pipes_and_no_ignored_signal(void **state)
{
	auto_free char *fds = NULL;
	const char *pipe;
	struct err e;

	(void)state;
	env.verb = CNI_VERB_DEL;
	/* SIGPIPE is bit 12 of SigIgn: in the fourth digit from the right; valgrind's own are above 99 */
	script("ipam",
	       "cd \"${0%/*}\" && cat >/dev/null\n"
	       "sed -n 's/^SigIgn:.*\\(.\\)...$/\\1/p' /proc/self/status >ignored\n"
	       "exec find /proc/self/fd -type l ! -name '???*' -printf '%f %l\n' >fds 2>&1");
	if (run(NULL, &e))
		fail_msg("%s", e.msg);
	assert_file("ignored", "0\n");
	assert_int_equal(file_read(unit_dir_fd, "fds", 10000, &fds, NULL), 0);
	pipe = strstr(fds, "0 pipe:"); /* its stdin, and no other */
	assert_non_null(pipe);
	assert_null(strstr(pipe + 7, "pipe:"));
}

static void it_leaves_nothing_behind(void **state)
{
	int before = dup(0), after;
	struct err e;

	(void)state;
	assert_int_equal(close(before), 0);
	script("ipam", "cat >/dev/null; echo '{}'");
	for (int i = 0; i < 3; i++)
		assert_int_equal(run(NULL, &e), 0);
	script("ipam", "exec yes");
	assert_int_equal(run(NULL, &e), -EFBIG);
	after = dup(0);
	assert_int_equal(after, before); /* the lowest free descriptor is what it was */
	close(after);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

#define delegate_test(test) cmocka_unit_test_setup_teardown(test, setup, unit_dir_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		delegate_test(it_gets_configuration_and_parameters),
		delegate_test(unknown_numbers_and_keys_pass_unchanged),
		delegate_test(the_path_is_searched_in_order),
		delegate_test(one_that_is_not_there_names_the_path),
		delegate_test(names_that_lead_elsewhere_are_refused),
		delegate_test(its_error_is_passed_on),
		delegate_test(a_failure_without_an_error_object),
		delegate_test(a_death_by_signal),
		delegate_test(success_needs_a_result),
		delegate_test(other_verbs_need_none),
		delegate_test(printing_before_reading_is_no_deadlock),
		delegate_test(reading_nothing_is_no_error),
		delegate_test(closing_its_output_first_loses_no_input),
		delegate_test(endless_output_is_cut_off),
		delegate_test(one_that_cannot_be_run),
		delegate_test(it_inherits_no_pipes_and_no_ignored_signal),
		delegate_test(it_leaves_nothing_behind),
	};

	return cmocka_run_group_tests_name("delegate", tests, NULL, NULL);
}
