/* SPDX-License-Identifier: Apache-2.0 */
#include "cni/delegate.h"

#include "base/cleanup.h"
#include "cni/input.h"
#include "cni/outcome.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* Find the plugin in the directories of CNI_PATH, the first one winning. */
int cni_delegate_find(const char *path, const char *type, char ret[PATH_MAX], struct err *e)
{
	char file[PATH_MAX];
	struct stat st;
	int unseen = 0;

	if (!*type || strchr(type, '/') || !strcmp(type, ".") || !strcmp(type, ".."))
		return err_set(e, CNI_ERR_CONFIG, 0, "'%s' is not the name of a plugin", type);
	for (const char *dir = path; *dir;) {
		int len = (int)strcspn(dir, ":");
		int n = snprintf(file, sizeof(file), "%.*s/%s", len, dir, type);

		if (len && n > 0 && (size_t)n < sizeof(file)) {
			errno = 0;
			if (!stat(file, &st) && S_ISREG(st.st_mode) && !access(file, X_OK)) {
				memcpy(ret, file, (size_t)n + 1);
				return 0;
			}
			if (err_is_shortage(errno) || errno == EIO)
				unseen = errno;
		}
		dir += len;
		if (*dir == ':')
			dir++;
	}
	if (unseen)
		return err_set(e, CNI_ERR_IO, unseen, "look for plugin %s in CNI_PATH '%s'", type,
			       path);
	err_set(e, CNI_ERR_CONFIG, 0, "plugin %s is not in CNI_PATH '%s'", type, path);
	return -ENOENT;
}

/* The child's environment: ours, with the parameters of this call in place of what we were given. */
struct params {
	char *text[6];
	char **env; /* text, then what is inherited; NULL-terminated */
};

static void params_done(struct params *p)
{
	for (size_t i = 0; i < array_size(p->text); i++)
		free(p->text[i]);
	free(p->env);
}

static bool is_param(const char *var)
{
	static const char *const names[] = { "CNI_COMMAND=", "CNI_CONTAINERID=", "CNI_NETNS=",
					     "CNI_IFNAME=",  "CNI_ARGS=",	 "CNI_PATH=" };

	for (size_t i = 0; i < array_size(names); i++)
		if (!strncmp(var, names[i], strlen(names[i])))
			return true;
	return false;
}

static bool params_init(struct params *p, const struct cni_env *env)
{
	size_t count = 0, n = 0;

	if (asprintf(&p->text[0], "CNI_COMMAND=%s", cni_verb_name(env->verb)) < 0 ||
	    asprintf(&p->text[1], "CNI_CONTAINERID=%s", env->container_id) < 0 ||
	    asprintf(&p->text[2], "CNI_NETNS=%s", env->netns) < 0 ||
	    asprintf(&p->text[3], "CNI_IFNAME=%s", env->ifname) < 0 ||
	    asprintf(&p->text[4], "CNI_ARGS=%s", env->args) < 0 ||
	    asprintf(&p->text[5], "CNI_PATH=%s", env->path) < 0)
		return false;
	while (environ[count])
		count++;
	p->env = calloc(array_size(p->text) + count + 1, sizeof(*p->env));
	if (!p->env)
		return false;
	for (; n < array_size(p->text); n++)
		p->env[n] = p->text[n];
	for (size_t i = 0; i < count; i++)
		if (!is_param(environ[i]))
			p->env[n++] = environ[i];
	return true;
}

static int spawn_with(const posix_spawn_file_actions_t *files, posix_spawnattr_t *attr,
		      const char *file, char *type, char **env, pid_t *ret)
{
	char *argv[] = { type, NULL };
	sigset_t pipe_signal;

	/* ours is ignored, which exec would pass on */
	sigemptyset(&pipe_signal);
	sigaddset(&pipe_signal, SIGPIPE);
	/* a process group of its own, so that what it runs ends with it: see reap() */
	return posix_spawnattr_setsigdefault(attr, &pipe_signal) ?:
	       posix_spawnattr_setpgroup(attr, 0) ?:
	       posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP) ?:
	       posix_spawn(ret, file, files, attr, argv, env);
}

/* By posix_spawn, which does not copy this process: after a fork, each page that is written to again costs a fault. */
static int spawn(const char *file, char *type, char **env, int in, int out, pid_t *ret)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int r = posix_spawn_file_actions_init(&files);

	if (r)
		return -r;
	r = posix_spawnattr_init(&attr);
	if (!r) {
		r = posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO) ?:
		    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO) ?:
		    spawn_with(&files, &attr, file, type, env, ret);
		posix_spawnattr_destroy(&attr);
	}
	posix_spawn_file_actions_destroy(&files);
	return -r;
}

/* Start it, its pipes' other ends being ours alone: all descriptors are O_CLOEXEC. */
static int start(const char *file, char **env, struct cni_delegate *d, struct err *e)
{
	auto_close int in_read = -1, in_write = -1, out_read = -1, out_write = -1;
	int in[2], out[2], r;

	if (pipe2(in, O_CLOEXEC))
		return err_set(e, CNI_ERR_IO, errno, "make a pipe to %s", d->type);
	in_read = in[0];
	in_write = in[1];
	if (pipe2(out, O_CLOEXEC))
		return err_set(e, CNI_ERR_IO, errno, "make a pipe from %s", d->type);
	out_read = out[0];
	out_write = out[1];
	if (fcntl(in_write, F_SETFL, O_NONBLOCK))
		return err_set(e, CNI_ERR_IO, errno, "prepare the pipe to %s", d->type);
	r = spawn(file, d->type, env, in_read, out_write, &d->pid);
	if (r)
		return err_set(e, CNI_ERR_IO, r, "run %s", file);
	d->to = take_fd(&in_write);
	d->from = take_fd(&out_read);
	return 0;
}

/* Write what the pipe takes now; a child that reads no more, or not at all, is no error. */
static int feed(struct cni_delegate *d)
{
	size_t left = strlen(d->text + d->fed);
	ssize_t n = write(d->to, d->text + d->fed, left);

	if (n < 0 && errno != EINTR && errno != EAGAIN && errno != EPIPE)
		return -errno;
	if (n > 0)
		d->fed += (size_t)n;
	if (n == (ssize_t)left || (n < 0 && errno == EPIPE))
		close(take_fd(&d->to));
	return 0;
}

/* Both ways at once, since it may print before it has read all; to the end of both. */
static int converse(struct cni_delegate *d, struct input *ret_output)
{
	ssize_t n = 1;
	int r = 0;

	while (!r && (n > 0 || d->to >= 0)) {
		struct pollfd fds[] = {
			{ .fd = n > 0 ? d->from : -1, .events = POLLIN }, /* -1 is left out */
			{ .fd = d->to, .events = POLLOUT },
		};

		if (poll(fds, array_size(fds), -1) < 0) {
			r = errno == EINTR ? 0 : -errno;
			continue;
		}
		if (fds[1].revents)
			r = feed(d);
		if (fds[0].revents && !r)
			n = input_read(ret_output, d->from);
		if (n < 0)
			r = (int)n;
	}
	return r;
}

/* Close the pipes and reap it; one that we gave up on is killed first, with what it runs, as it may never end. */
static int reap(struct cni_delegate *d, bool give_up)
{
	int status = 0;

	if (d->to >= 0)
		close(take_fd(&d->to));
	close(take_fd(&d->from));
	if (give_up)
		kill(-d->pid, SIGKILL);
	while (waitpid(d->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

int cni_delegate_start(const struct cni_env *env, const char *type, json_t *conf,
		       struct cni_delegate *ret, struct err *e)
{
	__attribute__((cleanup(params_done))) struct params params = { 0 };
	struct cni_delegate d = { .verb = env->verb };
	auto_free char *text = json_dumps(conf, JSON_COMPACT);
	char file[PATH_MAX];
	int r;

	r = cni_delegate_find(env->path, type, file, e);
	if (r)
		return r;
	if (!text || !params_init(&params, env))
		return err_set(e, CNI_ERR_IO, ENOMEM, "run %s", file);
	strncat(d.type, type, NAME_MAX);
	r = start(file, params.env, &d, e);
	if (r)
		return r;
	d.text = take_ptr(text);
	feed(&d); /* what fails now fails again when it is finished */
	*ret = d;
	return 0;
}

int cni_delegate_finish(struct cni_delegate *d, json_t **ret_result, struct err *e)
{
	auto_input struct input printed = { 0 };
	int r, status;

	r = converse(d, &printed);
	status = reap(d, r);
	free(take_ptr(d->text));
	if (r == -EFBIG)
		return err_set(e, CNI_ERR_DECODE, r, "plugin %s printed above %zu bytes", d->type,
			       INPUT_MAX);
	if (r)
		return err_set(e, CNI_ERR_IO, r, "talk to plugin %s", d->type);
	return outcome_judge(d->verb, d->type, status, &printed, ret_result, e);
}

int cni_delegate(const struct cni_env *env, const char *type, json_t *conf, json_t **ret_result,
		 struct err *e)
{
	struct cni_delegate d;
	int r = cni_delegate_start(env, type, conf, &d, e);

	return r ? r : cni_delegate_finish(&d, ret_result, e);
}
