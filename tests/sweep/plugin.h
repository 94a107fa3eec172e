/* SPDX-License-Identifier: Apache-2.0 */
/* Calling the plugin as a runtime does, with a fault or without. */
#pragma once

#include "trace.h"

#include <stdbool.h>

struct caller {
	const char *plugin; /* path of the binary */
	const char *cni_path;
	const char *conf; /* the network configuration */
};

struct said {
	int status; /* 0 = success, 1…255, or 256 + signal */
	char out[16384], err[4096];
};

/**
 * plugin_call() - a verb for a pod; its container id is "cid-POD", its interface net1
 * @plan, @trace: a fault, and what came of it; both NULL for a call without
 */
void plugin_call(const struct caller *c, const char *verb, const char *pod, const struct plan *plan,
		 struct trace *trace, struct said *said);

/** plugin_repair() - the command line's repair, likewise */
void plugin_repair(const struct caller *c, const struct plan *plan, struct trace *trace,
		   struct said *said);

/* A call that runs. */
struct running {
	int pid;
	int fds[3];
};

/** plugin_start() - begin a verb for a pod, or, with the verb "repair", the command */
void plugin_start(const struct caller *c, const char *verb, const char *pod, struct running *ret);

/**
 * plugin_end() - wait for its end, or bring it about
 * @kill_us: SIGKILL after so many microseconds; -1 = let it end
 * @limit_s: seconds after which it is killed, and said->status is PLUGIN_HUNG
 */
void plugin_end(struct running *running, int kill_us, int limit_s, struct said *said);

#define PLUGIN_HUNG 1000

/**
 * plugin_mistake() - is what was said no proper end of a call? A reason, or NULL.
 * ADD that succeeds prints one result, what fails one error, anything else nothing.
 */
const char *plugin_mistake(const char *verb, const struct said *said);
