/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "release.h"
#include "rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct column columns[] = {
	{ "ADDRESS", "address", false },  { "NETWORK", "network", false },
	{ "POOL", "pool", false },	  { "CONTAINER", "container", false },
	{ "INTERFACE", "ifname", false }, { "POD", "pod", false },
	{ "STATE", "state", false },	  { "SINCE", "since", false },
	{ "LIFE", "life", false },
};

/* A walk through the leases for a command. */
struct walk {
	const struct cli *cli;
	struct rows rows;
	struct release_list found; /* release, reclaim: what is meant */
	bool reclaim;
	size_t seen;
};

static void walk_done(struct walk *walk)
{
	rows_done(&walk->rows);
	free(walk->found.v);
}
#define auto_walk __attribute__((cleanup(walk_done)))

#define NS_PER_S INT64_C(1000000000)

static int64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

/*
 * The wall clock's time of a time of the monotonic one: to the nearest second, and by the clocks' full precision, so that a
 * lease has the same time whenever it is listed.
 */
static void format_since(uint64_t since, char ret[32])
{
	int64_t epoch = now_ns(CLOCK_REALTIME) - now_ns(CLOCK_MONOTONIC); /* as clock_ms() */
	time_t at = (epoch + (int64_t)since * (NS_PER_S / 1000) + NS_PER_S / 2) / NS_PER_S;
	struct tm tm;

	gmtime_r(&at, &tm);
	strftime(ret, 32, "%FT%TZ", &tm);
}

static json_t *lease_json(const struct lease *lease)
{
	static const char *const lives[] = { "alive", "gone", "unknown" };
	char addr[INET_TEXT], since[32];
	uint64_t now = clock_ms();
	json_t *row;

	format_since(lease->since, since);
	row = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "address",
			inet_addr_format(&lease->addr, addr), "network", lease->owner.network,
			"pool", lease->pool, "container", lease->owner.cid, "ifname",
			lease->owner.ifname, "pod", lease->pod, "podUID", lease->uid, "netns",
			lease->netns, "state", lease->held ? "held" : "cooling", "since", since,
			"life", lease->held ? lives[release_is_gone(lease)] : "");
	if (row && !lease->held)
		json_object_set_new(row, "freeInSeconds",
				    json_integer(lease->free_at > now
							 ? (json_int_t)(lease->free_at - now) / 1000
							 : 0));
	return row;
}

/* On a terminal, long work shows that it goes on. */
static void show_progress(struct walk *walk)
{
	if (++walk->seen % 10000 == 0 && isatty(STDERR_FILENO))
		fprintf(stderr, "\r%zu leases looked at ", walk->seen);
}

static bool is_meant(const struct walk *walk, const struct lease *lease)
{
	const struct cli *cli = walk->cli;
	char addr[INET_TEXT];

	return (!cli->network || !strcmp(cli->network, lease->owner.network)) &&
	       (!cli->container || !strcmp(cli->container, lease->owner.cid)) &&
	       (!cli->ifname || !strcmp(cli->ifname, lease->owner.ifname)) &&
	       (!cli->arg_count || !strcmp(cli->args[0], inet_addr_format(&lease->addr, addr))) &&
	       (!walk->reclaim || release_is_gone(lease) == LEASE_GONE);
}

static int visit(const struct lease *lease, void *arg, struct err *e)
{
	struct walk *walk = arg;
	int r;

	show_progress(walk);
	if (!is_meant(walk, lease))
		return 0;
	r = rows_add(&walk->rows, lease_json(lease), e);
	return r ? r : release_collect(lease, &walk->found, e);
}

static int collect(struct store *store, void *arg, struct err *e)
{
	struct walk *walk = arg;

	rows_forget(&walk->rows);
	walk->found.count = walk->seen = 0;
	return store_leases(store, NULL, walk->cli->all, visit, walk, e);
}

static int run_walk(struct walk *walk, store_fn *fn, struct err *e)
{
	int r = store_run(walk->cli->data_dir, STORE_IF_THERE, fn, walk, e);

	if (walk->seen >= 10000 && isatty(STDERR_FILENO))
		fputc('\n', stderr);
	return r;
}

static int print(struct walk *walk, const char *none)
{
	return rows_print(&walk->rows, columns, array_size(columns), walk->cli->json, none);
}

int cli_leases(struct cli *cli)
{
	auto_walk struct walk walk = { .cli = cli };
	struct err e = { 0 };

	if (rows_open(&walk.rows, &e) || run_walk(&walk, collect, &e))
		return cli_fail(&e);
	return print(&walk, "no leases");
}

/*
 * What was shown is what is released: a lease that changed hands between the question and the answer is
 * a newer one, and stays.
 */
static bool was_shown(const struct release_list *shown, const struct release_list *now, size_t i)
{
	for (size_t k = 0; k < shown->count; k++)
		if (shown->v[k].scope == now->v[i].scope && shown->v[k].since == now->v[i].since &&
		    inet_addr_equal(&shown->v[k].addr, &now->v[i].addr))
			return true;
	return false;
}

static int release_shown(struct store *store, void *arg, struct err *e)
{
	struct walk *walk = arg;
	struct release_list shown = walk->found;
	int r;

	walk->found = (struct release_list){ 0 };
	r = collect(store, walk, e);
	for (size_t i = 0; !r && i < walk->found.count; i++)
		if (was_shown(&shown, &walk->found, i))
			r = store_release(store, walk->found.v[i].scope, &walk->found.v[i].addr, e);
	free(shown.v);
	return r;
}

int cli_release(struct cli *cli)
{
	auto_walk struct walk walk = { .cli = cli };
	struct err e = { 0 };
	struct inet_addr a;
	char addr[INET_TEXT], question[128];

	if (cli->arg_count == !!cli->container) {
		fprintf(stderr, "cni-ipam: release needs an address, or --container\n");
		return CLI_USAGE;
	}
	if (cli->arg_count) {
		if (inet_addr_parse(cli->args[0], &a)) {
			fprintf(stderr, "cni-ipam: '%s' is not an address\n", cli->args[0]);
			return CLI_USAGE;
		}
		inet_addr_format(&a, addr); /* as leases are written */
		cli->args[0] = addr;
	}
	if (rows_open(&walk.rows, &e) || run_walk(&walk, collect, &e))
		return cli_fail(&e);
	if (!walk.found.count) {
		fprintf(stderr, "cni-ipam: there is no such lease\n");
		return CLI_FAILED;
	}
	print(&walk, "");
	if (cli->arg_count && walk.found.count > 1) {
		fprintf(stderr,
			"cni-ipam: several networks have this address: say which, with --network\n");
		return CLI_FAILED;
	}
	snprintf(question, sizeof(question),
		 "Release %zu lease(s)? A pod that still uses the address would share it.",
		 walk.found.count);
	if (!cli_confirm(cli, question)) {
		fprintf(stderr, "nothing is released\n");
		return CLI_FAILED;
	}
	return run_walk(&walk, release_shown, &e) ? cli_fail(&e) : CLI_OK;
}

static int reclaim(struct store *store, void *arg, struct err *e)
{
	struct walk *walk = arg;
	int r = collect(store, walk, e);

	if (r || walk->cli->dry_run)
		return r;
	return release_all(store, &walk->found, e);
}

int cli_reclaim(struct cli *cli)
{
	auto_walk struct walk walk = { .cli = cli, .reclaim = true };
	struct err e = { 0 };
	int r;

	if (rows_open(&walk.rows, &e) || run_walk(&walk, reclaim, &e))
		return cli_fail(&e);
	r = print(&walk, "no lease is without its container");
	if (walk.found.count)
		fprintf(stderr,
			cli->dry_run ? "%zu lease(s) would be released\n"
				     : "%zu lease(s) released\n",
			walk.found.count);
	return r;
}
