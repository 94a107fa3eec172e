/* SPDX-License-Identifier: Apache-2.0 */
/* Running another plugin, such as the IPAM one (specification 1.1.0, section 4). */
#pragma once

#include "base/err.h"
#include "cni/env.h"

#include <jansson.h>
#include <limits.h>
#include <sys/types.h>

/**
 * cni_delegate_find() - look a plugin up, e.g. before anything is changed that would need it
 * @path: as CNI_PATH: searched in order for a regular, executable file
 *
 * Errors: code 7; -ENOENT when there is no such plugin, -EINVAL for what is no plugin's name.
 */
int cni_delegate_find(const char *path, const char *type, char ret[PATH_MAX], struct err *e);

/* A plugin that runs. */
struct cni_delegate {
	enum cni_verb verb;
	char type[NAME_MAX + 1];
	pid_t pid; /* and process group */
	int to; /* its stdin, -1 once all is written */
	int from; /* its stdout */
	char *text; /* what it is told, of which @fed bytes are written */
	size_t fed;
};

/**
 * cni_delegate_start() - start a plugin with this call's parameters; it works while the caller does
 * @env: its parameters; env->verb is what the delegate is told, env->path is searched in order for a
 *       regular, executable file. Other environment variables are passed on as they are.
 * @type: the plugin's name; one with '/', "." or ".." is refused (code 7)
 * @conf: the configuration for its stdin
 * @ret: to be ended by cni_delegate_finish(), always
 *
 * Errors: code 5 when it could not be run; -ENOENT with a code 7 that names CNI_PATH when no such plugin is
 * found there.
 *
 * It is the leader of a process group of its own, so that what is sent to the caller's does not reach it.
 *
 * SIGPIPE has to be ignored, as cni_main() does: a delegate may end without reading its stdin.
 */
int cni_delegate_start(const struct cni_env *env, const char *type, json_t *conf,
		       struct cni_delegate *ret, struct err *e);

/**
 * cni_delegate_finish() - wait for it
 * @ret_result: its output as JSON, a new reference; NULL output for verbs without one. May be NULL.
 *
 * Errors: the delegate's own error object (code, msg, details), its name put in front; code 5 or 6
 * when it was ended by a signal, or printed something else (up to 4 MiB is read).
 */
int cni_delegate_finish(struct cni_delegate *d, json_t **ret_result, struct err *e);

/** cni_delegate() - start and finish */
int cni_delegate(const struct cni_env *env, const char *type, json_t *conf, json_t **ret_result,
		 struct err *e);
