/* SPDX-License-Identifier: Apache-2.0 */
/* The environment: an input is lines of NAME=VALUE. */
#include "fuzz.h"

#include "base/cleanup.h"
#include "cni/env.h"

static void set(char *text)
{
	char *rest = text, *line;

	clearenv();
	while ((line = strsep(&rest, "\n"))) {
		char *value = strchr(line, '=');

		if (!value || value == line)
			continue;
		*value++ = '\0';
		setenv(line, value, 1);
	}
}

static void check_loaded(const struct cni_env *env)
{
	const char *command = getenv("CNI_COMMAND");
	bool attachment = env->verb == CNI_VERB_ADD || env->verb == CNI_VERB_DEL ||
			  env->verb == CNI_VERB_CHECK;

	fuzz_must(!strcmp(cni_verb_name(env->verb), command ? command : ""));
	fuzz_must(!attachment ||
		  (cni_name_is_valid(env->container_id) && cni_ifname_is_valid(env->ifname)));
	fuzz_must(!attachment || env->verb == CNI_VERB_DEL || *env->netns);
}

static void read_args(const char *args)
{
	static const char *const keys[] = { "IP", "K8S_POD_NAME", "IgnoreUnknown", "" };
	const struct cni_env env = { .args = args };
	char buf[16];

	for (size_t i = 0; i < array_size(keys); i++)
		if (cni_env_arg(&env, keys[i], buf, sizeof(buf)))
			fuzz_must(*buf && strlen(buf) < sizeof(buf) && strstr(args, buf));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *text = fuzz_text(data, size);
	struct cni_env env;
	struct err e = { 0 };

	read_args(text);
	set(text);
	if (cni_env_load(&env, &e)) {
		fuzz_must(e.code == CNI_ERR_ENV && strstr(e.msg, "CNI_"));
		return 0;
	}
	check_loaded(&env);
	read_args(env.args);
	return 0;
}
