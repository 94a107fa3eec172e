/* SPDX-License-Identifier: Apache-2.0 */
/* What every CNI plugin's main does: parameters, configuration, verb, output. */
#pragma once

#include "base/err.h"
#include "cni/conf.h"
#include "cni/env.h"

#include <jansson.h>

/* One call of the plugin. */
struct cni_call {
	const char *
		program; /* the name that it was called by, without directory; "" or NULL when there is none */
	struct cni_env env;
	struct cni_conf conf;
};

/*
 * A verb. @ret_output: what is printed on stdout, a new reference; only ADD has an output.
 * On failure nothing but the error object is printed.
 */
typedef int cni_verb_fn(const struct cni_call *call, json_t **ret_output, struct err *e);

struct cni_plugin {
	const char *name;
	const char *about; /* one line for a person who starts it without CNI_COMMAND */
	cni_verb_fn *add, *del, *check, *gc, *status;
	/* The command line, when CNI_COMMAND is unset and there are arguments; returns the exit status. */
	int (*command)(int argc, char **argv);
};

/**
 * cni_main() - serve one call
 *
 * Exactly one JSON document goes to stdout, or nothing. A failed verb prints the error object with the
 * request's cniVersion (the newest when that is not known) and gives exit status 1.
 */
int cni_main(const struct cni_plugin *plugin, int argc, char **argv);
