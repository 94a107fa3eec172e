/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "base/cleanup.h"
#include "cni/env.h"

/* The parameters as libcni sets them for an ADD; each test changes what it is about. */
static int env_setup(void **state)
{
	(void)state;
	clearenv();
	setenv("CNI_COMMAND", "ADD", 1);
	setenv("CNI_CONTAINERID", "c1", 1);
	setenv("CNI_NETNS", "/run/netns/x", 1);
	setenv("CNI_IFNAME", "net1", 1);
	setenv("CNI_ARGS", "IgnoreUnknown=true;K8S_POD_NAME=p", 1);
	setenv("CNI_PATH", "/opt/cni/bin", 1);
	return 0;
}

static void assert_loads(const char *verb)
{
	struct cni_env env;
	struct err e;

	setenv("CNI_COMMAND", verb, 1);
	assert_int_equal(cni_env_load(&env, &e), 0);
	assert_string_equal(cni_verb_name(env.verb), verb);
}

static void assert_fails(const char *verb, const char *variable, const char *value)
{
	struct cni_env env = { .ifname = "untouched" };
	struct err e = { 0 };

	setenv("CNI_COMMAND", verb, 1);
	if (value)
		setenv(variable, value, 1);
	else
		unsetenv(variable);
	assert_true(cni_env_load(&env, &e) < 0);
	assert_err(&e, CNI_ERR_ENV, variable, value && *value ? value : verb);
	assert_string_equal(env.ifname, "untouched");
}

static void add_has_all_parameters(void **state)
{
	struct cni_env env;
	struct err e;

	(void)state;
	assert_int_equal(cni_env_load(&env, &e), 0);
	assert_int_equal(env.verb, CNI_VERB_ADD);
	assert_string_equal(env.container_id, "c1");
	assert_string_equal(env.netns, "/run/netns/x");
	assert_string_equal(env.ifname, "net1");
	assert_string_equal(env.args, "IgnoreUnknown=true;K8S_POD_NAME=p");
	assert_string_equal(env.path, "/opt/cni/bin");
	assert_false(env.netns_override);
}

static void unset_is_empty(void **state)
{
	struct cni_env env;
	struct err e;

	(void)state;
	clearenv();
	assert_int_equal(cni_env_load(&env, &e), 0);
	assert_int_equal(env.verb, CNI_VERB_NONE);
	assert_string_equal(env.container_id, "");
	assert_string_equal(env.netns, "");
	assert_string_equal(env.ifname, "");
	assert_string_equal(env.args, "");
	assert_string_equal(env.path, "");
}

static void verbs_are_exact(void **state)
{
	static const char *const bad[] = { "add", "ADD ", "ADDX", "INIT", "AD" };
	struct cni_env env;
	struct err e;

	(void)state;
	for (size_t i = 0; i < array_size(bad); i++) {
		setenv("CNI_COMMAND", bad[i], 1);
		assert_true(cni_env_load(&env, &e) < 0);
		assert_err(&e, CNI_ERR_ENV, "CNI_COMMAND", bad[i]);
	}
}

static void required_ones_are_named(void **state)
{
	static const struct {
		const char *verb, *variable;
	} cases[] = {
		{ "ADD", "CNI_CONTAINERID" },	{ "ADD", "CNI_NETNS" },	  { "ADD", "CNI_IFNAME" },
		{ "CHECK", "CNI_CONTAINERID" }, { "CHECK", "CNI_NETNS" }, { "CHECK", "CNI_IFNAME" },
		{ "DEL", "CNI_CONTAINERID" },	{ "DEL", "CNI_IFNAME" },  { "GC", "CNI_PATH" },
	};

	for (size_t i = 0; i < array_size(cases); i++) {
		env_setup(state);
		assert_fails(cases[i].verb, cases[i].variable, NULL);
		env_setup(state);
		assert_fails(cases[i].verb, cases[i].variable, "");
	}
}

static void del_works_without_a_netns(void **state)
{
	(void)state;
	setenv("CNI_NETNS", "", 1);
	assert_loads("DEL");
	unsetenv("CNI_NETNS");
	assert_loads("DEL");
}

/* libcni sets these to "" for GC and STATUS, and to "dummy" for VERSION. */
static void what_a_verb_does_not_need_is_not_checked(void **state)
{
	static const char *const verbs[] = { "GC", "STATUS", "VERSION" };

	(void)state;
	setenv("CNI_CONTAINERID", "", 1);
	setenv("CNI_NETNS", "", 1);
	setenv("CNI_IFNAME", "", 1);
	for (size_t i = 0; i < array_size(verbs); i++)
		assert_loads(verbs[i]);
	setenv("CNI_IFNAME", "far/too/long/and/wrong", 1);
	setenv("CNI_CONTAINERID", "-", 1);
	unsetenv("CNI_NETNS");
	for (size_t i = 0; i < array_size(verbs); i++)
		assert_loads(verbs[i]);
	unsetenv("CNI_PATH");
	assert_loads("STATUS");
	assert_loads("VERSION");
}

static void bad_values_are_quoted(void **state)
{
	(void)state;
	assert_fails("ADD", "CNI_CONTAINERID", "../x");
	env_setup(state);
	assert_fails("DEL", "CNI_IFNAME", "a/b");
	env_setup(state);
	assert_fails("CHECK", "CNI_IFNAME", "a-name-too-long-");
}

static void names_are_of_the_specification(void **state)
{
	static const char *const good[] = { "a", "0", "a.b-c_d", "Z9", "k8s_POD_x" };
	static const char *const bad[] = { "",	  ".",	 "-a",	"_a",	     "a/b",
					   "a b", "a\n", "a:b", "a\xc3\xa9", ".." };
	char name[300];

	(void)state;
	for (size_t i = 0; i < array_size(good); i++)
		assert_true(cni_name_is_valid(good[i]));
	for (size_t i = 0; i < array_size(bad); i++)
		assert_false(cni_name_is_valid(bad[i]));
	memset(name, 'x', sizeof(name));
	name[256] = '\0';
	assert_false(cni_name_is_valid(name));
	name[255] = '\0';
	assert_true(cni_name_is_valid(name));
}

static void ifnames_are_what_the_kernel_takes(void **state)
{
	static const char *const good[] = { "a",   "net1",    "eth0.100",
					    "...", "a-b_c@d", "fifteen-bytes-0" };
	static const char *const bad[] = { "",
					   ".",
					   "..",
					   "a/b",
					   "a:b",
					   "a b",
					   "a\t",
					   "\na",
					   "a\xa0",
					   "net%d",
					   "sixteen-bytes-00" };

	(void)state;
	for (size_t i = 0; i < array_size(good); i++)
		assert_true(cni_ifname_is_valid(good[i]));
	for (size_t i = 0; i < array_size(bad); i++)
		assert_false(cni_ifname_is_valid(bad[i]));
}

static void override_is_1_or_true(void **state)
{
	static const struct {
		const char *value;
		bool override;
	} cases[] = { { "1", true }, { "TRUE", true }, { "true", true }, { "0", false },
		      { "", false }, { "yes", false }, { "11", false } };
	struct cni_env env;
	struct err e;

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		setenv("CNI_NETNS_OVERRIDE", cases[i].value, 1);
		assert_int_equal(cni_env_load(&env, &e), 0);
		assert_int_equal(env.netns_override, cases[i].override);
	}
}

/* The value of K, or "(none)". */
static const char *arg_k(const char *args)
{
	struct cni_env env = { .args = args };
	static char buf[8];

	strcpy(buf, "(none)");
	cni_env_arg(&env, "K", buf, sizeof(buf));
	return buf;
}

static void args_the_last_non_empty_wins(void **state)
{
	(void)state;
	assert_string_equal(arg_k("K=v"), "v");
	assert_string_equal(arg_k("A=b;K=v;C=d"), "v");
	assert_string_equal(arg_k("K=one;K=two"), "two");
	assert_string_equal(arg_k("K=one;K="), "one");
	assert_string_equal(arg_k("K=;K=two;"), "two");
	assert_string_equal(arg_k(";;K=v;;"), "v");
	assert_string_equal(arg_k("K=a=b"), "a=b");
}

static void args_that_are_not_there(void **state)
{
	(void)state;
	assert_string_equal(arg_k(""), "(none)");
	assert_string_equal(arg_k("K"), "(none)");
	assert_string_equal(arg_k("K="), "(none)");
	assert_string_equal(arg_k("KK=v;k=v;XK=v"), "(none)");
	assert_string_equal(arg_k("A=K=v"), "(none)");
	assert_string_equal(arg_k("=v;;="), "(none)");
}

static void args_have_to_fit(void **state)
{
	(void)state;
	assert_string_equal(arg_k("K=1234567"), "1234567");
	assert_string_equal(arg_k("K=12345678"), "(none)");
	assert_string_equal(arg_k("K=short;K=12345678"),
			    "(none)"); /* no other value in its place */
}

/* The pod, or "(none)". */
static const char *pod_of(const char *args)
{
	struct cni_env env = { .args = args };
	static char buf[64];

	strcpy(buf, "(none)");
	cni_env_pod(&env, buf, sizeof(buf));
	return buf;
}

static void a_pod_has_a_name_and_perhaps_a_namespace(void **state)
{
	(void)state;
	assert_string_equal(pod_of("K8S_POD_NAMESPACE=ml;K8S_POD_NAME=trainer-0"), "ml/trainer-0");
	assert_string_equal(pod_of("IgnoreUnknown=1;K8S_POD_NAME=one"), "one"); /* Podman's */
	assert_string_equal(pod_of("K8S_POD_NAMESPACE=;K8S_POD_NAME=one"), "one");
	assert_string_equal(pod_of("K8S_POD_NAMESPACE=ml"), "(none)");
	assert_string_equal(pod_of(""), "(none)");
}

#define env_test(test) cmocka_unit_test_setup(test, env_setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		env_test(add_has_all_parameters),
		env_test(unset_is_empty),
		env_test(verbs_are_exact),
		env_test(required_ones_are_named),
		env_test(del_works_without_a_netns),
		env_test(what_a_verb_does_not_need_is_not_checked),
		env_test(bad_values_are_quoted),
		env_test(names_are_of_the_specification),
		env_test(ifnames_are_what_the_kernel_takes),
		env_test(override_is_1_or_true),
		env_test(args_the_last_non_empty_wins),
		env_test(args_that_are_not_there),
		env_test(args_have_to_fit),
		env_test(a_pod_has_a_name_and_perhaps_a_namespace),
	};

	return cmocka_run_group_tests_name("env", tests, NULL, NULL);
}
