/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include "base/cleanup.h"
#include "verbs.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *name;
	cli_fn *fn;
	int min_args, max_args;
} commands[] = {
	{ "pools", cli_pools, 0, 0 },	       { "leases", cli_leases, 0, 0 },
	{ "validate", cli_validate, 1, 1000 }, { "release", cli_release, 0, 1 },
	{ "reclaim", cli_reclaim, 0, 0 },
};

static const char help[] =
	"usage: cni-ipam COMMAND [OPTION…]\n"
	"\n"
	"  pools              show the pools: size, held, cooling, free, this node's part\n"
	"  leases             show the leases: address, owner, pod, since\n"
	"  validate FILE…     check pool files and network configurations\n"
	"  release ADDRESS    release one lease, after confirmation\n"
	"  release --container ID [--ifname NAME]\n"
	"  reclaim            release the leases whose container is gone\n"
	"\n"
	"  --json             print JSON instead of a table\n"
	"  --data-dir DIR     where the leases are (" CONF_DATA_DIR ")\n"
	"  --pools-dir DIR    where the pool files are (" CONF_POOLS_DIR ")\n"
	"  --node NAME        this node's name ($NODE_NAME, or the host name)\n"
	"  --network NAME     leases, release: of this network only\n"
	"  --all              leases: also those that cool\n"
	"  --dry-run          reclaim: only show what would be released\n"
	"  --yes              do not ask\n"
	"\n"
	"As a CNI plugin it is called by a container runtime, with CNI_COMMAND set. See cni-ipam(8).\n";

enum {
	OPT_JSON = 256,
	OPT_DATA,
	OPT_POOLS,
	OPT_NODE,
	OPT_NETWORK,
	OPT_CONTAINER,
	OPT_IFNAME,
	OPT_ALL,
	OPT_DRY_RUN,
	OPT_YES,
	OPT_HELP
};

static const struct option options[] = {
	{ "json", no_argument, NULL, OPT_JSON },
	{ "data-dir", required_argument, NULL, OPT_DATA },
	{ "pools-dir", required_argument, NULL, OPT_POOLS },
	{ "node", required_argument, NULL, OPT_NODE },
	{ "network", required_argument, NULL, OPT_NETWORK },
	{ "container", required_argument, NULL, OPT_CONTAINER },
	{ "ifname", required_argument, NULL, OPT_IFNAME },
	{ "all", no_argument, NULL, OPT_ALL },
	{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
	{ "yes", no_argument, NULL, OPT_YES },
	{ "help", no_argument, NULL, OPT_HELP },
	{ 0 },
};

int cli_fail(const struct err *e)
{
	fprintf(stderr, "cni-ipam: %s\n", e->msg);
	if (*e->details)
		fprintf(stderr, "%s\n", e->details);
	return CLI_FAILED;
}

bool cli_confirm(const struct cli *cli, const char *question)
{
	char answer[16];

	if (cli->yes)
		return true;
	fprintf(stderr, "%s [y/N] ", question);
	if (!fgets(answer, sizeof(answer), stdin))
		return false;
	answer[strcspn(answer, "\n")] = '\0';
	return !strcmp(answer, "y") || !strcmp(answer, "yes");
}

json_t *cli_count(addr_key n)
{
	char text[ADDR_COUNT_TEXT];

	if (n <= (addr_key)1 << 53) /* what a double, and so any JSON parser, can hold */
		return json_integer((json_int_t)n);
	return json_string(addr_count_format(n, text));
}

static int usage(void)
{
	fputs("cni-ipam --help tells about the commands\n", stderr);
	return CLI_USAGE;
}

static void take_option(struct cli *cli, int option)
{
	switch (option) {
	case OPT_JSON:
		cli->json = true;
		break;
	case OPT_DATA:
		cli->data_dir = optarg;
		break;
	case OPT_POOLS:
		cli->pools_dir = optarg;
		break;
	case OPT_NODE:
		cli->node_told = optarg;
		break;
	case OPT_NETWORK:
		cli->network = optarg;
		break;
	case OPT_CONTAINER:
		cli->container = optarg;
		break;
	case OPT_IFNAME:
		cli->ifname = optarg;
		break;
	case OPT_ALL:
		cli->all = true;
		break;
	case OPT_DRY_RUN:
		cli->dry_run = true;
		break;
	case OPT_YES:
		cli->yes = true;
		break;
	default:
		break;
	}
}

static int run(struct cli *cli, int argc, char **argv)
{
	struct err e = { 0 };
	const char *name = optind < argc ? argv[optind] : "";

	cli->args = argv + optind + 1;
	cli->arg_count = argc - optind - 1;
	for (size_t i = 0; i < array_size(commands); i++) {
		if (strcmp(commands[i].name, name) != 0)
			continue;
		if (cli->arg_count < commands[i].min_args ||
		    cli->arg_count > commands[i].max_args) {
			fprintf(stderr, "cni-ipam: %s has too %s arguments\n", name,
				cli->arg_count < commands[i].min_args ? "few" : "many");
			return usage();
		}
		if (strlen(cli->data_dir) > STORE_DIR_MAX || *cli->data_dir != '/') {
			fprintf(stderr,
				"cni-ipam: --data-dir %s is not an absolute path of up to %d bytes\n",
				cli->data_dir, STORE_DIR_MAX);
			return usage();
		}
		if (conf_node_name(cli->node_told, cli->node, &e))
			return cli_fail(&e);
		return commands[i].fn(cli);
	}
	if (*name)
		fprintf(stderr, "cni-ipam: unknown command '%s'\n", name);
	return usage();
}

int cli_main(int argc, char **argv)
{
	struct cli cli = { .data_dir = CONF_DATA_DIR,
			   .pools_dir = CONF_POOLS_DIR,
			   .node_told = "" };
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == '?')
			return usage();
		if (option == 'h' || option == OPT_HELP) {
			fputs(help, stdout);
			return fflush(stdout) ? CLI_FAILED : CLI_OK;
		}
		take_option(&cli, option);
	}
	return run(&cli, argc, argv);
}
