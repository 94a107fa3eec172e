/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include "base/cleanup.h"
#include "pool_file.h"
#include "rows.h"

#include <stdio.h>
#include <string.h>

static const struct column columns[] = {
	{ "POOL", "pool", false }, { "SUBNET", "subnet", false }, { "THIS NODE'S", "part", false },
	{ "SIZE", "size", true },  { "HELD", "held", true },	  { "COOLING", "cooling", true },
	{ "FREE", "free", true },
};

#define SHOWN_MAX 1024

struct view {
	struct cli *cli;
	struct rows rows;
	struct store *store; /* NULL = nothing has been given yet */
	bool wrong; /* a pool file could not be read */
	int64_t shown[SHOWN_MAX]; /* rows of the store that pool files have */
	size_t shown_count;
	struct err *e;
};

/* "10.0.1.0-10.0.1.255", or the first and how many more there are */
static void describe_ranges(const struct set *set, char *ret, size_t size)
{
	char text[RANGE_TEXT];

	if (!set->ranges.count)
		snprintf(ret, size, "none");
	else if (set->ranges.count == 1)
		snprintf(ret, size, "%s", range_format(&set->ranges.v[0], text));
	else
		snprintf(ret, size, "%s and %zu more", range_format(&set->ranges.v[0], text),
			 set->ranges.count - 1);
}

static json_t *usage_json(json_t *row, const struct store_usage *u)
{
	json_object_set_new(row, "size", cli_count(u->size));
	json_object_set_new(row, "held", cli_count(u->held));
	json_object_set_new(row, "cooling", cli_count(u->cooling));
	json_object_set_new(row, "free", cli_count(u->free));
	return row;
}

static int usage_of_set(struct view *view, const struct set *set, const char *name,
			struct store_usage *ret)
{
	struct store_pool row;
	bool found = false;
	int64_t scope = store_scope(set->scope);
	int r;

	ret->size = ret->free = range_list_count(&set->ranges);
	if (!view->store)
		return 0;
	r = store_pool_find(view->store, scope, set->hash, &row, &found, view->e);
	if (!r && !found) /* not asked yet; entered, so that leases of overlapping pools count */
		r = store_pool_make(view->store, scope, set->hash, name, &set->ranges, &row,
				    view->e);
	if (!r && view->shown_count < SHOWN_MAX)
		view->shown[view->shown_count++] = row.id;
	return r ? r : store_usage(view->store, &row, ret, view->e);
}

static int add_set(struct view *view, const char *file, const struct pool *pool, size_t i)
{
	const struct set *set = &pool->sets[i];
	char part[RANGE_TEXT + 32], net[INET_TEXT], name[POOL_SET_NAME];
	struct store_usage u = { 0 };
	int r;

	snprintf(name, sizeof(name), "%s/%zu", pool->name, i);
	r = usage_of_set(view, set, name, &u);
	if (r)
		return r;
	describe_ranges(set, part, sizeof(part));
	return rows_add(
		&view->rows,
		usage_json(json_pack("{s:s, s:s, s:s, s:s, s:s}", "pool", pool->name, "file", file,
				     "subnet", inet_net_format(&set->subnets[0].net, net), "part",
				     part, "scope", set->scope),
			   &u),
		view->e);
}

static int add_file(const char *file, const char *name, const struct pool *pool,
		    const struct err *why, void *arg)
{
	struct view *view = arg;
	int r = 0;

	(void)name;
	if (!pool) {
		fprintf(stderr, "cni-ipam: %s\n", why->msg);
		view->wrong = true;
		return 0;
	}
	for (size_t i = 0; !r && i < pool->set_count; i++)
		r = add_set(view, file, pool, i);
	return r;
}

static bool is_of_file(const struct view *view, int64_t id)
{
	for (size_t i = 0; i < view->shown_count; i++)
		if (view->shown[i] == id)
			return true;
	return false;
}

/* Ranges of network configurations: the store knows those that have been asked for addresses. */
static int add_inline(const struct store_pool *pool, const char *name, const struct range *bounds,
		      void *arg, struct err *e)
{
	struct view *view = arg;
	struct store_usage u = { 0 };
	char part[RANGE_TEXT], network[NAME_MAX + 16];
	int r;

	if (is_of_file(view, pool->id))
		return 0;
	r = store_usage(view->store, pool, &u, e);
	if (r)
		return r;
	snprintf(network, sizeof(network), "%s %s",
		 pool->scope == store_scope("pools") ? "earlier" : "network", name);
	return rows_add(&view->rows,
			usage_json(json_pack("{s:s, s:s}", "pool", network, "part",
					     range_format(bounds, part)),
				   &u),
			e);
}

static int collect(struct store *store, void *arg, struct err *e)
{
	struct view *view = arg;
	int r;

	view->store = store;
	rows_forget(&view->rows);
	view->shown_count = 0;
	r = pool_file_each(view->cli->pools_dir, view->cli->node, add_file, view, e);
	if (r || !store)
		return r;
	return store_pools(store, add_inline, view, e);
}

int cli_pools(struct cli *cli)
{
	struct err e = { 0 };
	struct view view = { .cli = cli, .e = &e };
	int r;

	if (rows_open(&view.rows, &e))
		return cli_fail(&e);
	r = store_run(cli->data_dir, STORE_IF_THERE, collect, &view, &e);
	if (!r && !view.store)
		r = collect(NULL, &view, &e);
	r = r ? cli_fail(&e)
	      : rows_print(&view.rows, columns, array_size(columns), cli->json, "no pools");
	rows_done(&view.rows);
	return r ? r : view.wrong ? CLI_FAILED : CLI_OK;
}
