/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "cni/conf.h"
#include "pool_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct verdict {
	const struct cli *cli;
	json_t *list; /* with --json */
	int errors;
};

/* @what: "ok", "warning" or "error" */
static void say(struct verdict *v, const char *what, const char *file, const char *text,
		const char *more)
{
	if (!strcmp(what, "error"))
		v->errors++;
	if (v->list) {
		json_array_append_new(v->list,
				      json_pack("{s:s, s:s, s:s, s:s}", "result", what, "file",
						file, "message", text, "details", more));
		return;
	}
	printf("%s: %s: %s\n", what, file, text);
	if (*more)
		printf("    %s\n", more);
}

static void say_error(struct verdict *v, const char *file, const struct err *e)
{
	say(v, "error", file, e->msg, e->details);
}

/* What this node gives out of a set, in a line. */
static void say_set(struct verdict *v, const char *file, const char *name, const struct set *set)
{
	char text[1024], net[INET_TEXT], count[ADDR_COUNT_TEXT], first[RANGE_TEXT] = "no address";

	if (set->ranges.count)
		range_format(&set->ranges.v[0], first);
	addr_count_format(range_list_count(&set->ranges), count);
	snprintf(text, sizeof(text), "%s: node '%s' gives out %s%s of %s, %s in all", name,
		 v->cli->node, first, set->ranges.count > 1 ? " and more" : "",
		 inet_net_format(&set->subnets[0].net, net), count);
	say(v, set->ranges.count ? "ok" : "error", file, text,
	    set->ranges.count ? "" : "All addresses are excluded.");
}

static int say_pool(const char *file, const char *name, const struct pool *pool,
		    const struct err *why, void *arg)
{
	struct verdict *v = arg;

	if (!pool) {
		say_error(v, file, why);
		return 0;
	}
	for (size_t i = 0; i < pool->set_count; i++)
		say_set(v, file, name, &pool->sets[i]);
	return 0;
}

static void say_named(struct verdict *v, const char *file, const struct conf *conf)
{
	for (size_t i = 0; i < conf->named_count; i++) {
		auto_pool struct pool pool = { 0 };
		struct err e = { 0 };

		if (pool_file_load(NULL, conf, conf->named[i], &pool, &e))
			say_error(v, file, &e);
		else
			say_pool(file, conf->named[i], &pool, NULL, v);
	}
}

/* One plugin's configuration, complete with name and version. */
static void check_conf(struct verdict *v, const char *file, json_t *json)
{
	struct cni_call call = {
		.env = { .args = "", .netns = "", .ifname = "", .container_id = "" }
	};
	auto_free char *text = json_dumps(json, JSON_COMPACT);
	auto_conf struct conf conf = { 0 };
	struct err e = { 0 };
	int r;

	r = text ? cni_conf_parse(text, strlen(text), CNI_VERB_ADD, &call.conf, &e)
		 : err_set(&e, CNI_ERR_IO, ENOMEM, "read it");
	if (!r && !json_object_get(call.conf.ipam, "poolsDir"))
		json_object_set_new(call.conf.ipam, "poolsDir", json_string(v->cli->pools_dir));
	if (!r && *v->cli->node_told)
		json_object_set_new(call.conf.ipam, "nodeName", json_string(v->cli->node_told));
	r = r ?: conf_read(&call, &conf, &e);
	if (r) {
		say_error(v, file, &e);
	} else {
		if (conf.inline_pool.set_count && conf.inline_pool.whole)
			say(v, "warning", file,
			    "the ranges are in the network configuration, which all nodes share, and nothing "
			    "says which part is this node's",
			    "Each node gives out all of them: two pods get one address. Name a \"pool\", or add "
			    "\"nodes\".");
		for (size_t i = 0; i < conf.inline_pool.set_count; i++)
			say_set(v, file, conf.network, &conf.inline_pool.sets[i]);
		say_named(v, file, &conf);
	}
	cni_conf_done(&call.conf);
}

static void check_list(struct verdict *v, const char *file, json_t *json)
{
	json_t *plugins = json_object_get(json, "plugins"), *plugin;
	size_t i;

	json_array_foreach(plugins, i, plugin) {
		if (!json_object_size(json_object_get(plugin, "ipam")))
			continue;
		json_object_set(plugin, "name", json_object_get(json, "name"));
		json_object_set(plugin, "cniVersion", json_object_get(json, "cniVersion"));
		check_conf(v, file, plugin);
	}
}

static void check_file(struct verdict *v, const char *file)
{
	json_auto_t *json = json_load_file(file, 0, NULL);
	struct err e = { 0 };

	if (json_object_get(json, "plugins"))
		check_list(v, file, json);
	else if (json_object_get(json, "ipam"))
		check_conf(v, file, json);
	else
		pool_file_check(file, v->cli->node, say_pool, v, &e);
}

int cli_validate(struct cli *cli)
{
	struct verdict v = { .cli = cli, .list = cli->json ? json_array() : NULL };

	for (int i = 0; i < cli->arg_count; i++)
		check_file(&v, cli->args[i]);
	if (v.list) {
		json_dumpf(v.list, stdout, JSON_INDENT(2));
		putchar('\n');
	}
	json_decref(v.list);
	return fflush(stdout) || v.errors ? CLI_FAILED : CLI_OK;
}
