/* SPDX-License-Identifier: Apache-2.0 */
/* cni_main() as a runtime sees it: a process with an environment, three streams and an exit status. */
#include "unit.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "cni/plugin.h"

#include <errno.h>
#include <sys/wait.h>

static int add(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	(void)e;
	*ret_output = json_pack("{s:s, s:s}", "cniVersion", cni_version_names[call->conf.version],
				"ifname", call->env.ifname);
	return 0;
}

static int add_nothing(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	(void)call;
	(void)ret_output;
	(void)e;
	return 0;
}

/* A file opened in between must not be where the result goes. */
static int add_with_a_file(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	int fd = open(unit_path("opened"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	return fd < 0 ? err_set(e, CNI_ERR_IO, errno, "open") : add(call, ret_output, e);
}

static int del(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	(void)call;
	(void)e;
	*ret_output = json_object(); /* which is not to be printed */
	return 0;
}

static int fail_with_details(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	*ret_output = json_object();
	err_set(e, 123, ENODEV, "find %s", call->env.ifname);
	err_details(e, "look\nharder");
	return -ENODEV;
}

static int fail_with_broken_text(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	(void)call;
	(void)ret_output;
	return err_set(e, CNI_ERR_IO, 0, "open 'a\xc3' \"\033\"");
}

static int fail_silently(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	(void)call;
	(void)ret_output;
	(void)e;
	return -EIO;
}

static int command(int argc, char **argv)
{
	return argc == 2 && !strcmp(argv[1], "list") ? 42 : 43;
}

static const struct cni_plugin plugin = {
	.name = "test-plugin",
	.about = "a plugin under test",
	.add = add,
	.del = del,
	.command = command,
};

/* How a call ended, and what it printed. */
static struct {
	int status;
	char *out, *err;
	json_t *doc; /* out as JSON; NULL when it is empty */
} got;

static void got_clear(void)
{
	free(got.out);
	free(got.err);
	json_decref(got.doc);
	memset(&got, 0, sizeof(got));
}

static int teardown(void **state)
{
	got_clear();
	return unit_dir_teardown(state);
}

static void redirect(int stream, const char *path, int flags)
{
	int fd = open(path, flags, 0600);

	if (fd < 0 || dup2(fd, stream) < 0)
		_exit(90);
	close(fd);
}

/* What differs from an ordinary call; NULL and 0 mean that nothing does. */
struct call {
	const struct cni_plugin *plugin;
	const char *verb, *conf, *ifname, *arg;
	const char *out; /* stdout's file */
	bool no_in, no_out, no_err; /* closed */
};

static void child_run(const struct call *c)
{
	char *argv[] = { (char[]){ "test-plugin" }, c->arg ? strdup(c->arg) : NULL, NULL };

	clearenv();
	setenv("CNI_CONTAINERID", "c1", 1);
	setenv("CNI_NETNS", "/run/netns/x", 1);
	setenv("CNI_IFNAME", c->ifname ? c->ifname : "net1", 1);
	setenv("CNI_PATH", "/nowhere", 1);
	if (c->verb)
		setenv("CNI_COMMAND", c->verb, 1);
	redirect(STDIN_FILENO, unit_path("in"), O_RDONLY);
	redirect(STDOUT_FILENO, c->out ? c->out : unit_path("out"), O_WRONLY);
	redirect(STDERR_FILENO, unit_path("err"), O_WRONLY);
	if (c->no_in)
		close(STDIN_FILENO);
	if (c->no_out)
		close(STDOUT_FILENO);
	if (c->no_err)
		close(STDERR_FILENO);
	_exit(cni_main(c->plugin ? c->plugin : &plugin, c->arg ? 2 : 1, argv));
}

static void run(const struct call *c)
{
	json_error_t why;
	int status;
	pid_t pid;

	got_clear();
	unit_write("in", c->conf ? c->conf : "{\"cniVersion\":\"1.0.0\",\"name\":\"n\"}", 0600);
	unit_write("out", "", 0600);
	unit_write("err", "", 0600);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		child_run(c);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	got.status = WEXITSTATUS(status);
	assert_int_equal(file_read(unit_dir_fd, "out", 100000, &got.out, NULL), 0);
	assert_int_equal(file_read(unit_dir_fd, "err", 100000, &got.err, NULL), 0);
	if (!*got.out)
		return;
	got.doc = json_loads(got.out, 0, &why); /* which refuses a second document */
	if (!got.doc)
		fail_msg("stdout is not JSON: %s: %s", why.text, got.out);
}

static const char *str(const char *key)
{
	const char *text = json_string_value(json_object_get(got.doc, key));

	return text ? text : "(none)";
}

/* An error object of this version and code, whose message has the text, and status 1. */
static void assert_failed(const char *version, int code, const char *says)
{
	assert_int_equal(got.status, 1);
	assert_string_equal(str("cniVersion"), version);
	assert_int_equal(json_integer_value(json_object_get(got.doc, "code")), code);
	if (!strstr(str("msg"), says))
		fail_msg("message '%s' lacks '%s'", str("msg"), says);
}

static void a_person_is_told_what_it_is(void **state)
{
	(void)state;
	run(&(struct call){ .verb = NULL });
	assert_int_equal(got.status, 0);
	assert_string_equal(got.out, "");
	assert_string_equal(got.err, "a plugin under test\n");
}

static void arguments_are_for_the_command_line(void **state)
{
	static const struct cni_plugin without = { .name = "w", .about = "about" };

	(void)state;
	run(&(struct call){ .arg = "list" });
	assert_int_equal(got.status, 42);
	run(&(struct call){ .arg = "list", .plugin = &without });
	assert_int_equal(got.status, 2);
	assert_non_null(strstr(got.err, "'list'"));
	assert_string_equal(got.out, "");
	run(&(struct call){ .arg = "list", .verb = "ADD" }); /* a runtime's call stays one */
	assert_int_equal(got.status, 0);
	assert_string_equal(str("ifname"), "net1");
}

static void version_lists_what_is_spoken(void **state)
{
	(void)state;
	run(&(struct call){ .verb = "VERSION", .conf = "{\"cniVersion\":\"1.0.0\"}" });
	assert_int_equal(got.status, 0);
	assert_string_equal(str("cniVersion"), "1.0.0");
	assert_int_equal(json_array_size(json_object_get(got.doc, "supportedVersions")), 7);
	assert_string_equal(got.err, "");
	run(&(struct call){ .verb = "VERSION", .conf = "" });
	assert_int_equal(got.status, 0);
	assert_string_equal(str("cniVersion"), "1.1.0");
	run(&(struct call){ .verb = "VERSION", .conf = "{\"cniVersion\":\"7.0.0\"}" });
	assert_int_equal(got.status, 0);
	assert_string_equal(str("cniVersion"), "1.1.0");
}

static void add_prints_its_result(void **state)
{
	(void)state;
	run(&(struct call){ .verb = "ADD" });
	assert_int_equal(got.status, 0);
	assert_string_equal(str("cniVersion"), "1.0.0");
	assert_string_equal(str("ifname"), "net1");
	assert_int_equal(got.out[strlen(got.out) - 1], '\n');
	assert_string_equal(got.err, "");
}

static void del_prints_nothing(void **state)
{
	(void)state;
	run(&(struct call){ .verb = "DEL" });
	assert_int_equal(got.status, 0);
	assert_string_equal(got.out, "");
}

static void an_add_without_a_result_is_an_error(void **state)
{
	static const struct cni_plugin empty = { .name = "empty", .about = "", .add = add_nothing };

	(void)state;
	run(&(struct call){ .verb = "ADD", .plugin = &empty });
	assert_failed("1.0.0", CNI_ERR_KERNEL, "empty: ADD has no result");
}

static void verbs_that_are_not_there_are_code_4(void **state)
{
	static const char *const conf = "{\"cniVersion\":\"1.1.0\",\"name\":\"n\"}";
	static const char *const verbs[] = { "CHECK", "GC", "STATUS", "FROB", "add" };

	(void)state;
	for (size_t i = 0; i < array_size(verbs); i++) {
		run(&(struct call){ .verb = verbs[i], .conf = conf });
		assert_failed("1.1.0", CNI_ERR_ENV, verbs[i]);
		assert_non_null(strstr(str("msg"), "CNI_COMMAND"));
	}
}

static void a_failed_verb_prints_only_the_error(void **state)
{
	static const struct cni_plugin failing = { .name = "f",
						   .about = "",
						   .add = fail_with_details };

	(void)state;
	run(&(struct call){ .verb = "ADD", .plugin = &failing });
	assert_failed("1.0.0", 123, "find net1: No such device");
	assert_string_equal(str("details"), "look\nharder");
	assert_int_equal(json_object_size(got.doc), 4);
	assert_non_null(
		strstr(got.err, "f: error: ADD of net1 in c1: find net1: No such device\n"));
	assert_non_null(strstr(got.err, "f: error: look harder\n"));
}

static void an_error_without_details_has_no_such_key(void **state)
{
	(void)state;
	run(&(struct call){ .verb = "ADD", .ifname = "" });
	assert_failed("1.0.0", CNI_ERR_ENV, "CNI_IFNAME");
	assert_int_equal(json_object_size(got.doc), 3);
}

static void text_that_is_not_utf8_is_told_all_the_same(void **state)
{
	static const struct cni_plugin failing = { .name = "f",
						   .about = "",
						   .add = fail_with_broken_text };

	(void)state;
	run(&(struct call){ .verb = "ADD", .plugin = &failing });
	assert_failed("1.0.0", CNI_ERR_IO, "open 'a?' \"\033\"");
	run(&(struct call){ .verb = "ADD", .ifname = "\xff/" });
	assert_failed("1.0.0", CNI_ERR_ENV, "CNI_IFNAME '?/'");
}

static void a_failure_that_says_nothing_is_one(void **state)
{
	static const struct cni_plugin failing = { .name = "f", .about = "", .add = fail_silently };

	(void)state;
	run(&(struct call){ .verb = "ADD", .plugin = &failing });
	assert_failed("1.0.0", CNI_ERR_KERNEL, "f failed");
}

static void errors_are_told_in_the_version_of_the_request(void **state)
{
	static const struct {
		const char *conf, *version;
		int code;
	} cases[] = {
		{ "{\"cniVersion\":\"0.3.1\",\"name\":\"../x\"}", "0.3.1", CNI_ERR_CONFIG },
		{ "{\"cniVersion\":\"0.4.0\"}", "0.4.0", CNI_ERR_CONFIG },
		{ "{\"cniVersion\":\"0.4.0\",\"name\":\"n\",\"ipam\":7}", "0.4.0", CNI_ERR_DECODE },
		{ "{}", "0.1.0", CNI_ERR_CONFIG },
		{ "{\"cniVersion\":\"3.0.0\",\"name\":\"n\"}", "1.1.0", CNI_ERR_VERSION },
		{ "{\"cniVersion\":3,\"name\":\"n\"}", "1.1.0", CNI_ERR_DECODE },
		{ "{\"cniVersion\":\"0.4.0\",", "1.1.0", CNI_ERR_DECODE },
		{ "[]", "1.1.0", CNI_ERR_DECODE },
		{ "", "1.1.0", CNI_ERR_DECODE },
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		run(&(struct call){ .verb = "ADD", .conf = cases[i].conf });
		assert_failed(cases[i].version, cases[i].code, "");
	}
	/* the environment is complained of first, but in the same version */
	run(&(struct call){ .verb = "ADD", .ifname = "a/b", .conf = cases[0].conf });
	assert_failed("0.3.1", CNI_ERR_ENV, "CNI_IFNAME 'a/b'");
	run(&(struct call){ .verb = "ADD", .ifname = "a/b", .conf = "{" });
	assert_failed("1.1.0", CNI_ERR_ENV, "CNI_IFNAME 'a/b'");
}

static void a_result_that_cannot_be_written_is_a_failure(void **state)
{
	(void)state;
	run(&(struct call){ .verb = "ADD", .out = "/dev/full" });
	assert_int_equal(got.status, 1);
	assert_non_null(strstr(got.err, "No space left on device"));
	run(&(struct call){ .verb = "ADD", .no_out = true });
	assert_int_equal(got.status, 1);
	run(&(struct call){ .verb = "DEL", .no_out = true }); /* it has nothing to write */
	assert_int_equal(got.status, 0);
}

static void a_reader_that_is_gone_is_a_failure_not_a_signal(void **state)
{
	char path[32];
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	close(ends[0]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[1]);
	run(&(struct call){ .verb = "ADD", .out = path });
	assert_int_equal(got.status, 1);
	assert_non_null(strstr(got.err, "Broken pipe"));
	close(ends[1]);
}

static void closed_streams_are_told_and_nothing_lands_in_them(void **state)
{
	static const struct cni_plugin opening = { .name = "o",
						   .about = "",
						   .add = add_with_a_file };
	auto_free char *text = NULL;

	(void)state;
	run(&(struct call){ .verb = "ADD", .plugin = &opening, .no_out = true });
	assert_int_equal(got.status, 1);
	assert_int_equal(file_read(unit_dir_fd, "opened", 1000, &text, NULL), 0);
	assert_string_equal(text, "");
	run(&(struct call){ .verb = "ADD", .no_in = true });
	assert_failed("1.1.0", CNI_ERR_IO, "read the configuration");
	run(&(struct call){ .verb = "ADD", .no_err = true });
	assert_int_equal(got.status, 0);
	assert_string_equal(str("ifname"), "net1");
	run(&(struct call){ .verb = "CHECK", .no_err = true });
	assert_failed("1.0.0", CNI_ERR_ENV, "CHECK"); /* with the log in it, it would be no JSON */
}

#define plugin_test(test) cmocka_unit_test_setup_teardown(test, unit_dir_setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		plugin_test(a_person_is_told_what_it_is),
		plugin_test(arguments_are_for_the_command_line),
		plugin_test(version_lists_what_is_spoken),
		plugin_test(add_prints_its_result),
		plugin_test(del_prints_nothing),
		plugin_test(an_add_without_a_result_is_an_error),
		plugin_test(verbs_that_are_not_there_are_code_4),
		plugin_test(a_failed_verb_prints_only_the_error),
		plugin_test(an_error_without_details_has_no_such_key),
		plugin_test(text_that_is_not_utf8_is_told_all_the_same),
		plugin_test(a_failure_that_says_nothing_is_one),
		plugin_test(errors_are_told_in_the_version_of_the_request),
		plugin_test(a_result_that_cannot_be_written_is_a_failure),
		plugin_test(a_reader_that_is_gone_is_a_failure_not_a_signal),
		plugin_test(closed_streams_are_told_and_nothing_lands_in_them),
	};

	return cmocka_run_group_tests_name("plugin", tests, NULL, NULL);
}
