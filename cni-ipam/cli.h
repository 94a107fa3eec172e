/* SPDX-License-Identifier: Apache-2.0 */
/* The command line, for people and their programs. */
#pragma once

#include "conf.h"

#include <stdbool.h>

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

struct cli {
	const char *data_dir, *pools_dir;
	const char *node_told; /* --node, or "" */
	char node[NAME_MAX + 1];
	bool json, yes, dry_run, all;
	const char *network, *container, *ifname; /* of the lease that is meant; NULL = any */
	char **args; /* after the options */
	int arg_count;
};

/* A command; returns its exit status, and prints what went wrong. */
typedef int cli_fn(struct cli *cli);

cli_fn cli_pools;
cli_fn cli_leases;
cli_fn cli_validate;
cli_fn cli_release;
cli_fn cli_reclaim;

/** cli_fail() - print an error on stderr; returns CLI_FAILED */
int cli_fail(const struct err *e);

/** cli_confirm() - ask on stderr, unless --yes; anything but y or yes on stdin is a no */
bool cli_confirm(const struct cli *cli, const char *question);

/** cli_count() - a count as a JSON number, or as a string where a number would lose digits */
json_t *cli_count(addr_key n);
