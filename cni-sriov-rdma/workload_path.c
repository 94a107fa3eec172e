/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_path.h"

#include "base/cleanup.h"
#include "base/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define VALUE_MAX 254 /* a Kubernetes name's 253 characters (RFC 1123), and a NUL */

static const struct token {
	const char *text;
	const char *arg; /* in CNI_ARGS; NULL = the container id */
	unsigned int tells; /* bits: UID or container, namespace, name */
} tokens[] = {
	{ "{podUID}", "K8S_POD_UID", 1 },
	{ "{containerID}", NULL, 1 },
	{ "{podNamespace}", "K8S_POD_NAMESPACE", 2 },
	{ "{podName}", "K8S_POD_NAME", 4 },
};

static const struct token *token_at(const char *text)
{
	for (unsigned int i = 0; i < array_size(tokens); i++)
		if (!strncmp(text, tokens[i].text, strlen(tokens[i].text)))
			return &tokens[i];
	return NULL;
}

static bool is_dots(const char *component, size_t len)
{
	return len && len <= 2 && !strncmp(component, "..", len);
}

static int wrong(const char *template, const char *why, struct err *e)
{
	return err_set(e, CNI_ERR_CONFIG, 0, "rdma.workloadDir: \"%s\" %s", template, why);
}

int workload_path_check(const char *template, struct err *e)
{
	unsigned int tells = 0;

	if (*template != '/' || strlen(template) >= PATH_MAX)
		return wrong(template, "is not an absolute path", e);
	for (const char *c = template; *c; c++) {
		const struct token *token = token_at(c);

		if (*c == '/' && is_dots(c + 1, strcspn(c + 1, "/")))
			return wrong(template, "has a component . or ..", e);
		if ((*c == '{' && !token) || iscntrl((unsigned char)*c))
			return wrong(template,
				     "has a token other than {podUID}, {containerID}, "
				     "{podNamespace} and {podName}",
				     e);
		if (token)
			tells |= token->tells;
	}
	if (!(tells & 1) && (tells & 6) != 6)
		return wrong(template,
			     "is the same for several pods: it needs {podUID}, {containerID}, or "
			     "{podNamespace} and {podName}",
			     e);
	return 0;
}

/* A pod's UID, a DNS name, a container id. */
static bool is_name(const char *value)
{
	if (!isalnum((unsigned char)*value) || strstr(value, ".."))
		return false;
	for (; *value; value++)
		if (!isalnum((unsigned char)*value) && !strchr("-._", *value))
			return false;
	return true;
}

static int value_of(const struct token *token, const struct cni_env *env, char ret[VALUE_MAX],
		    struct err *e)
{
	ret[0] = '\0';
	if (token->arg)
		cni_env_arg(env, token->arg, ret, VALUE_MAX);
	else
		snprintf(ret, VALUE_MAX, "%s", env->container_id);
	if (!*ret)
		return err_set(e, CNI_ERR_ENV, 0,
			       "rdma.workloadDir: %s: CNI_ARGS has no %s of up to %d characters",
			       token->text, token->arg ?: "container id", VALUE_MAX - 1);
	if (!is_name(ret))
		return err_set(e, CNI_ERR_ENV, 0, "rdma.workloadDir: %s: \"%s\" is no name",
			       token->text, ret);
	return 0;
}

int workload_path_expand(const char *template, const struct cni_env *env, struct workload_path *ret,
			 struct err *e)
{
	struct workload_path path = { 0 };
	char whole[PATH_MAX * 2] = "", value[VALUE_MAX];
	size_t n = 0, split = 0;

	for (const char *c = template; *c;) {
		const struct token *token = token_at(c);
		int r = token ? value_of(token, env, value, e) : 0;

		if (r)
			return r;
		if (token && !split) {
			whole[n] = '\0';
			split = (size_t)(strrchr(whole, '/') - whole) + 1;
		}
		n += (size_t)snprintf(whole + n, sizeof(whole) - n, "%.*s", token ? VALUE_MAX : 1,
				      token ? value : c);
		c += token ? strlen(token->text) : 1;
		if (n >= PATH_MAX)
			return wrong(template, "is too long", e);
	}
	memcpy(path.root, whole, split);
	strcpy(path.below, whole + split);
	*ret = path;
	return 0;
}

bool workload_path_is_kubelet(const struct workload_path *path)
{
	return strstr(path->root, "/kubernetes.io~") || strstr(path->below, "/kubernetes.io~");
}

static int open_dir(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	return fd < 0 ? -errno : fd;
}

/* Its first component opened, and the rest; several slashes are one. */
static int open_next(int dir, const char **rest, bool make)
{
	char name[NAME_MAX + 1];
	size_t len;
	int fd;

	*rest += strspn(*rest, "/");
	len = strcspn(*rest, "/");
	if (len >= sizeof(name))
		return -ENAMETOOLONG;
	memcpy(name, *rest, len);
	name[len] = '\0';
	*rest += len;
	*rest += strspn(*rest, "/");
	fd = open_dir(dir, name);
	if (fd != -ENOENT || !make)
		return fd;
	if (mkdirat(dir, name, 0755) && errno != EEXIST)
		return -errno;
	return open_dir(dir, name);
}

int workload_path_open(const struct workload_path *path, bool make)
{
	const char *rest = path->below;
	auto_close int dir = -1;

	make = make && !workload_path_is_kubelet(path);
	dir = dir_open_mode(path->root, make, 0755);
	if (dir < 0)
		return dir;
	while (*rest) {
		int next = open_next(dir, &rest, make);

		if (next < 0)
			return next;
		close(dir);
		dir = next;
	}
	return take_fd(&dir);
}

/* The last component's name, cut off from what comes before it. */
static const char *cut_last(char *below)
{
	size_t len = strlen(below);
	char *slash;

	while (len && below[len - 1] == '/')
		below[--len] = '\0';
	slash = strrchr(below, '/');
	if (!slash)
		return below;
	*slash = '\0';
	return slash + 1;
}

void workload_path_remove(const struct workload_path *path)
{
	struct workload_path parent = *path;

	if (workload_path_is_kubelet(path))
		return;
	for (;;) {
		const char *name = cut_last(parent.below);
		bool top = name == parent.below;
		auto_close int dir = -1;
		char last[NAME_MAX + 1];

		if (!*name || strlen(name) >= sizeof(last))
			return;
		strcpy(last, name);
		if (top)
			parent.below[0] = '\0';
		dir = workload_path_open(&parent, false);
		if (dir < 0 || unlinkat(dir, last, AT_REMOVEDIR) || top)
			return;
	}
}
