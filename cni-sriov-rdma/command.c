/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: what people and timers need when no runtime calls. */
#include "verbs.h"

#include "attachments.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "kernel/rdma.h"
#include "rdma_mode.h"

#include <errno.h>
#include <getopt.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define DATA_DIR "/var/lib/cni/cni-sriov-rdma"

static const char usage[] =
	"usage: cni-sriov-rdma COMMAND [OPTION…]\n"
	"\n"
	"  list [--json]                 the attachments of this node\n"
	"  repair [--dry-run] [VF…]      undo those whose network namespace is gone: all, or of these VFs\n"
	"  rdma-mode [exclusive|shared]  show or set the RDMA subsystem's network namespace mode\n"
	"\n"
	"  --data-dir DIR                where attachments are recorded (" DATA_DIR ")\n"
	"  --version, --help\n"
	"\n"
	"Without a command, and with CNI_COMMAND set, it is a CNI plugin: see cni-sriov-rdma(8).\n";

struct options {
	const char *data_dir;
	bool json, dry_run;
	char **args; /* after the command, NULL-terminated */
};

enum { EXIT_USAGE = 2 };

/* The directories of records; that of the name rdma first, as a chain is undone from its end. */
#define STORES 2

static int fail(const struct err *e)
{
	fprintf(stderr, "cni-sriov-rdma: %s\n", e->msg);
	if (e->details[0])
		fprintf(stderr, "  %s\n", e->details);
	return EXIT_FAILURE;
}

static void format_time(int64_t at, char buf[32])
{
	time_t t = (time_t)at;
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(buf, 32, "%FT%TZ", &tm);
}

static json_t *attachment_to_json(const struct record *r, enum attachment_life life)
{
	char since[32], pod[400];

	format_time(r->since, since);
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:b}", "vf", r->bdf, "pf",
			 r->pf, "network", r->network, "containerId", r->env.container_id, "ifname",
			 r->env.ifname, "pod", record_pod(r, pod, sizeof(pod)), "netns",
			 r->env.netns, "state", attachment_life_name(life), "since", since,
			 "complete", r->result != NULL);
}

static void print_row(const struct record *r, enum attachment_life life)
{
	char since[32], pod[400];

	format_time(r->since, since);
	printf("%-14s %-10s %-12s %-20s %-8s %-40s %s\n", r->bdf, r->pf, attachment_life_name(life),
	       since, r->env.ifname, record_pod(r, pod, sizeof(pod)), r->network);
}

/* The records of one directory. Returns the exit status. */
static int list_store(int store, json_t *all, size_t *rows, const struct options *o)
{
	auto_free char(*vfs)[PCI_ADDR_MAX] = NULL;
	size_t count = 0;
	struct err e;
	int status = EXIT_SUCCESS;

	if (store >= 0 && record_list(store, &vfs, &count, &e))
		return fail(&e);
	for (size_t i = 0; i < count; i++) {
		auto_record struct record r = { 0 };
		int ret = record_load(store, vfs[i], &r, &e);
		enum attachment_life life;

		if (ret == -ENOENT)
			continue;
		if (!o->json && !*rows)
			printf("%-14s %-10s %-12s %-20s %-8s %-40s %s\n", "VF", "PF", "NETNS",
			       "SINCE", "IFNAME", "POD", "NETWORK");
		++*rows;
		if (ret) {
			status = fail(&e);
			continue;
		}
		if (attachment_life(&r, &life, &e))
			status = fail(&e);
		if (o->json)
			json_array_append_new(all, attachment_to_json(&r, life));
		else
			print_row(&r, life);
	}
	return status;
}

static int list(const int stores[STORES], const struct options *o)
{
	json_auto_t *all = json_array();
	int status = EXIT_SUCCESS;
	size_t rows = 0;

	for (int i = 0; i < STORES; i++)
		status |= list_store(stores[i], all, &rows, o);
	if (o->json) {
		json_dumpf(all, stdout, JSON_INDENT(2));
		putchar('\n');
	} else if (!rows) {
		printf("no attachments\n");
	}
	return status;
}

static int is_dead(const struct record *record, const void *arg, struct err *e)
{
	enum attachment_life life;
	int r = attachment_life(record, &life, e);

	(void)arg;
	return r ? r : life != ATTACHMENT_ALIVE;
}

/* One VF. Returns whether it went well. */
static bool repair_one(int store, const char *bdf, const struct options *o)
{
	auto_record struct record r = { 0 };
	struct err e;
	bool done;
	int ret = record_load(store, bdf, &r, &e);
	enum attachment_life life;

	if (ret == -ENOENT)
		return true;
	if (ret == -EBADMSG && !o->dry_run) {
		printf("%s: %s; set aside\n", bdf, e.msg);
		return !record_set_aside(store, bdf, &e) || (fail(&e), false);
	}
	if (ret || attachment_life(&r, &life, &e))
		return fail(&e), false;
	if (life == ATTACHMENT_ALIVE) {
		if (o->args[0])
			printf("%s: attached to a living pod, left alone\n", bdf);
		return true;
	}
	if (o->dry_run) {
		printf("%s: would be repaired (container %s, network namespace %s)\n", bdf,
		       r.env.container_id, attachment_life_name(life));
		return true;
	}
	ret = attachment_undo(store, &r, is_dead, NULL, &done, &e);
	if (ret)
		return fail(&e), false;
	if (done)
		printf("%s: repaired (container %s)\n", bdf, r.env.container_id);
	return true;
}

static bool repair_store(int store, const struct options *o)
{
	auto_free char(*vfs)[PCI_ADDR_MAX] = NULL;
	char bdf[PCI_ADDR_MAX];
	size_t count = 0;
	struct err e;
	bool ok = true;

	if (store < 0)
		return true;
	for (char **arg = o->args; *arg; arg++) {
		pci_addr_parse(*arg, bdf);
		ok &= repair_one(store, bdf, o);
	}
	if (!*o->args && record_list(store, &vfs, &count, &e))
		return fail(&e), false;
	for (size_t i = 0; i < count; i++)
		ok &= repair_one(store, vfs[i], o);
	return ok;
}

static int repair(const int stores[STORES], const struct options *o)
{
	char bdf[PCI_ADDR_MAX];
	bool ok = true;

	for (char **arg = o->args; *arg; arg++) /* look at all before anything is done */
		if (pci_addr_parse(*arg, bdf)) {
			fprintf(stderr, "cni-sriov-rdma: '%s' is not a PCI address\n", *arg);
			return EXIT_USAGE;
		}
	for (int i = 0; i < STORES; i++)
		ok &= repair_store(stores[i], o);
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int with_stores(const struct options *o,
		       int (*command)(const int stores[STORES], const struct options *o))
{
	struct err e;
	auto_close int own = record_store_open_named(o->data_dir, RECORDS, false, &e);
	auto_close int rdma = -ENOENT;

	if (own >= 0 || own == -ENOENT)
		rdma = record_store_open_named(o->data_dir, RECORDS_RDMA, false, &e);
	if ((own < 0 && own != -ENOENT) || (rdma < 0 && rdma != -ENOENT))
		return fail(&e);
	return command((const int[STORES]){ rdma, own }, o);
}

static int rdma_mode(const struct options *o)
{
	auto_netlink struct netlink nl = { 0 };
	const char *mode = o->args[0];
	bool exclusive;
	struct err e;
	int r;

	if (mode && (o->args[1] || (strcmp(mode, "exclusive") && strcmp(mode, "shared")))) {
		fprintf(stderr, "cni-sriov-rdma: rdma-mode takes exclusive or shared, not '%s'\n",
			o->args[1] ? o->args[1] : mode);
		return EXIT_USAGE;
	}
	if (netlink_open(&nl, NETLINK_RDMA, -1, -1, &e))
		return fail(&e);
	if (mode)
		return rdma_mode_ensure(&nl, !strcmp(mode, "exclusive"), &e) ? fail(&e)
									     : EXIT_SUCCESS;
	r = rdma_mode_get(&nl, &exclusive);
	if (r) {
		netlink_err(&nl, &e, r, "read the RDMA subsystem's network namespace mode");
		return fail(&e);
	}
	printf("%s\n", exclusive ? "exclusive" : "shared");
	return EXIT_SUCCESS;
}

static int run(const char *command, const struct options *o)
{
	if (!strcmp(command, "rdma-mode"))
		return rdma_mode(o);
	if (!strcmp(command, "repair"))
		return with_stores(o, repair);
	if (!strcmp(command, "list") && !*o->args)
		return with_stores(o, list);
	fprintf(stderr, "cni-sriov-rdma: unknown command or argument: %s\n\n%s",
		strcmp(command, "list") ? command : *o->args, usage);
	return EXIT_USAGE;
}

int attach_command(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "json", no_argument, NULL, 'j' },	      { "dry-run", no_argument, NULL, 'n' },
		{ "data-dir", required_argument, NULL, 'd' }, { "version", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },	      { 0 },
	};
	struct options o = { .data_dir = DATA_DIR };
	int c;

	log_open("cni-sriov-rdma", LOG_WARNING, NULL);
	while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1)
		switch (c) {
		case 'j':
			o.json = true;
			break;
		case 'n':
			o.dry_run = true;
			break;
		case 'd':
			o.data_dir = optarg;
			break;
		case 'v':
			printf("cni-sriov-rdma %s\n", PROJECT_VERSION);
			return EXIT_SUCCESS;
		case 'h':
			fputs(usage, stdout);
			return EXIT_SUCCESS;
		default:
			fputs(usage, stderr);
			return EXIT_USAGE;
		}
	if (optind == argc) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	o.args = argv + optind + 1;
	return run(argv[optind], &o);
}
