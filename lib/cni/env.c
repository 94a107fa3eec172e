/* SPDX-License-Identifier: Apache-2.0 */
#include "cni/env.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ALNUM "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

#define IFNAME_MAX 15 /* IFNAMSIZ without its NUL */

/* In the order of enum cni_verb. */
static const char *const verb_names[] = { "", "ADD", "DEL", "CHECK", "GC", "STATUS", "VERSION" };

const char *cni_verb_name(enum cni_verb verb)
{
	return verb_names[verb];
}

bool cni_name_is_valid(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && len <= NAME_MAX && strchr(ALNUM, name[0]) &&
	       strspn(name, ALNUM "_.-") == len;
}

/*
 * The specification's rules, and two of the kernel's: its isspace() counts 0xa0 (dev_valid_name), and
 * a '%' makes a template of the name, so that "net%d" becomes net0 (dev_alloc_name).
 */
bool cni_ifname_is_valid(const char *ifname)
{
	size_t len = strlen(ifname);

	return len > 0 && len <= IFNAME_MAX && strcmp(ifname, ".") && strcmp(ifname, "..") &&
	       strcspn(ifname, "/:% \t\n\v\f\r\xa0") == len;
}

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

static int need(enum cni_verb verb, const char *name, const char *value, struct err *e)
{
	if (*value)
		return 0;
	return err_set(e, CNI_ERR_ENV, 0, "%s is required for %s", name, cni_verb_name(verb));
}

static int check_container_id(const struct cni_env *env, struct err *e)
{
	int r = need(env->verb, "CNI_CONTAINERID", env->container_id, e);

	if (r)
		return r;
	if (!cni_name_is_valid(env->container_id))
		return err_set(e, CNI_ERR_ENV, 0,
			       "CNI_CONTAINERID '%s' is not a letter or digit followed by letters, "
			       "digits, '_', '.' or '-', %d in all at most",
			       env->container_id, NAME_MAX);
	return 0;
}

static int check_ifname(const struct cni_env *env, struct err *e)
{
	int r = need(env->verb, "CNI_IFNAME", env->ifname, e);

	if (r)
		return r;
	if (!cni_ifname_is_valid(env->ifname))
		return err_set(e, CNI_ERR_ENV, 0,
			       "CNI_IFNAME '%s' is not 1 to %d bytes without '/', ':', '%%' and "
			       "white space, and not '.' or '..'",
			       env->ifname, IFNAME_MAX);
	return 0;
}

static int check_attachment(const struct cni_env *env, struct err *e)
{
	int r = check_container_id(env, e);

	/* a DEL may come after the namespace is gone, and without its name */
	if (!r && env->verb != CNI_VERB_DEL)
		r = need(env->verb, "CNI_NETNS", env->netns, e);
	if (!r)
		r = check_ifname(env, e);
	return r;
}

static int verb_parse(const char *name, enum cni_verb *ret, struct err *e)
{
	for (int i = CNI_VERB_NONE; i <= CNI_VERB_VERSION; i++)
		if (!strcmp(name, verb_names[i])) {
			*ret = (enum cni_verb)i;
			return 0;
		}
	return err_set(e, CNI_ERR_ENV, 0,
		       "CNI_COMMAND '%s' is none of ADD, DEL, CHECK, GC, STATUS, VERSION", name);
}

int cni_env_load(struct cni_env *ret, struct err *e)
{
	const char *override = variable("CNI_NETNS_OVERRIDE");
	struct cni_env env = {
		.container_id = variable("CNI_CONTAINERID"),
		.netns = variable("CNI_NETNS"),
		.ifname = variable("CNI_IFNAME"),
		.args = variable("CNI_ARGS"),
		.path = variable("CNI_PATH"),
		.netns_override = !strcmp(override, "1") || !strcasecmp(override, "true"),
	};
	int r = verb_parse(variable("CNI_COMMAND"), &env.verb, e);

	if (r)
		return r;
	if (env.verb == CNI_VERB_ADD || env.verb == CNI_VERB_DEL || env.verb == CNI_VERB_CHECK)
		r = check_attachment(&env, e);
	else if (env.verb == CNI_VERB_GC)
		r = need(env.verb, "CNI_PATH", env.path, e);
	if (r)
		return r;
	*ret = env;
	return 0;
}

bool cni_env_arg(const struct cni_env *env, const char *key, char *buf, size_t size)
{
	const char *value = NULL;
	size_t key_len = strlen(key), value_len = 0;

	for (const char *at = env->args; *at;) {
		size_t len = strcspn(at, ";");

		if (len > key_len + 1 && !strncmp(at, key, key_len) && at[key_len] == '=') {
			value = at + key_len + 1;
			value_len = len - key_len - 1;
		}
		at += len;
		if (*at == ';')
			at++;
	}
	if (!value || value_len >= size)
		return false;
	memcpy(buf, value, value_len);
	buf[value_len] = '\0';
	return true;
}

bool cni_env_pod(const struct cni_env *env, char *buf, size_t size)
{
	char namespace[NAME_MAX], name[NAME_MAX];

	if (!cni_env_arg(env, "K8S_POD_NAME", name, sizeof(name)))
		return false;
	if (cni_env_arg(env, "K8S_POD_NAMESPACE", namespace, sizeof(namespace)))
		snprintf(buf, size, "%s/%s", namespace, name);
	else
		snprintf(buf, size, "%s", name);
	return true;
}
