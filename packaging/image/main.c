/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The installer image's entry point: puts the image's plugins into the host's CNI directory, and waits. Its options
 * are those of sriov-cni's, rdma-cni's and ib-sriov-cni's, as far as sriov-network-operator and manifests use them.
 */
#include "place.h"

#include "base/cleanup.h"
#include "base/lock.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define SOURCE_DIR   "/cni" /* in the image */
#define CNI_BIN_DIR  "/host/opt/cni/bin"
#define LOCK_TURN_MS 500
#define LOCK_TURNS   60

enum { EXIT_USAGE = 2 };

static const char usage[] =
	"usage: cni-install [OPTION…]\n"
	"\n"
	"Puts the CNI plugins cni-sriov-rdma and cni-ipam into a directory of the host, each at once as a whole.\n"
	"\n"
	"  --cni-bin-dir DIR   the directory, as mounted (" CNI_BIN_DIR ")\n"
	"  --names LIST        cni-sriov-rdma under these names too: of sriov,ib-sriov,rdma. A program of such\n"
	"                      a name that is there is replaced\n"
	"  --uninstall         remove the plugins under all these names instead; others' programs stay\n"
	"  --no-sleep          end when it is done, as an init container does, instead of waiting for SIGTERM\n"
	"  --version, --help\n";

static const char *const plugins[] = { "cni-ipam", "cni-sriov-rdma" };
static const char *const other_names[] = { "sriov", "ib-sriov", "rdma" };

struct options {
	const char *dir;
	bool names[array_size(other_names)];
	bool uninstall, no_sleep;
};

static sigset_t ending; /* the signals that end the program, between two files and in its sleep */

static int report(const struct options *o, const char *name, enum place_outcome outcome)
{
	static const char *const words[] = {
		[PLACE_SAME] = "is up to date",
		[PLACE_NEW] = "installed",
		[PLACE_REPLACED] = "replaced",
		[PLACE_REMOVED] = "removed",
		[PLACE_FOREIGN] = "left alone: it is not one of cni-sriov-rdma's",
		[PLACE_ABSENT] = "is not there",
	};

	printf("%s/%s %s\n", o->dir, name, words[outcome]);
	return 0;
}

static int put(const struct options *o, int dir, int source, const char *plugin, const char *name,
	       struct err *e)
{
	auto_free char *data = NULL;
	enum place_outcome outcome;
	size_t len;
	int r = place_read(source, plugin, &data, &len);

	if (r)
		return err_set(e, CNI_ERR_IO, r, "read " SOURCE_DIR "/%s", plugin);
	r = place_put(dir, name, data, len, &outcome, e);
	return r ? r : report(o, name, outcome);
}

static int install(const struct options *o, int dir, struct err *e)
{
	auto_close int source = place_open(SOURCE_DIR, e);
	int r = source < 0 ? source : 0;

	for (size_t i = 0; i < array_size(plugins) && !r; i++)
		r = put(o, dir, source, plugins[i], plugins[i], e);
	for (size_t i = 0; i < array_size(other_names) && !r; i++)
		if (o->names[i])
			r = put(o, dir, source, "cni-sriov-rdma", other_names[i], e);
	return r;
}

static int take_away(const struct options *o, int dir, const char *name, struct err *e)
{
	enum place_outcome outcome;
	int r = place_remove(dir, name, &outcome, e);

	return r ? r : report(o, name, outcome);
}

static int uninstall(const struct options *o, int dir, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < array_size(other_names) && !r; i++)
		r = take_away(o, dir, other_names[i], e);
	for (size_t i = 0; i < array_size(plugins) && !r; i++)
		r = take_away(o, dir, plugins[i], e);
	return r;
}

/* A DaemonSet and an operator may have an installer each on a node. */
static int lock(int dir, struct err *e)
{
	const struct timespec now = { 0 };
	int fd = -ETIMEDOUT;

	for (int turn = 0; turn < LOCK_TURNS && fd == -ETIMEDOUT; turn++) {
		if (sigtimedwait(&ending, NULL, &now) > 0)
			return err_set(e, CNI_ERR_IO, EINTR, "wait for another installer");
		fd = lock_take_dir(dir, ".", LOCK_TURN_MS, e);
	}
	return fd;
}

static int work(const struct options *o, struct err *e)
{
	auto_close int dir = place_open(o->dir, e);
	auto_close int locked = dir < 0 ? dir : lock(dir, e);
	int r;

	if (locked < 0)
		return locked;
	r = o->uninstall ? uninstall(o, dir, e) : install(o, dir, e);
	if (r)
		err_prefix(e, "%s", o->dir);
	return r;
}

static int parse_names(const char *list, bool ret_names[array_size(other_names)])
{
	char copy[64], *save = NULL;

	if ((size_t)snprintf(copy, sizeof(copy), "%s", list) >= sizeof(copy))
		return -EINVAL;
	for (char *name = strtok_r(copy, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		size_t i = 0;

		while (i < array_size(other_names) && strcmp(name, other_names[i]) != 0)
			i++;
		if (i == array_size(other_names))
			return -EINVAL;
		ret_names[i] = true;
	}
	return 0;
}

/* Returns -1 to go on, or an exit status. */
static int parse(int argc, char **argv, struct options *o)
{
	static const struct option known[] = {
		{ "cni-bin-dir", required_argument, NULL, 'd' },
		{ "names", required_argument, NULL, 'n' },
		{ "uninstall", no_argument, NULL, 'u' },
		{ "no-sleep", no_argument, NULL, 's' },
		{ "version", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "h", known, NULL)) != -1) {
		switch (opt) {
		case 'd':
			o->dir = optarg;
			break;
		case 'n':
			if (!parse_names(optarg, o->names))
				break;
			fprintf(stderr,
				"cni-install: --names takes sriov, ib-sriov and rdma, with commas between, not '%s'\n",
				optarg);
			return EXIT_USAGE;
		case 'u':
			o->uninstall = true;
			break;
		case 's':
			o->no_sleep = true;
			break;
		case 'v':
			puts("cni-sriov-rdma " PROJECT_VERSION);
			return EXIT_SUCCESS;
		case 'h':
			fputs(usage, stdout);
			return EXIT_SUCCESS;
		default:
			fputs(usage, stderr);
			return EXIT_USAGE;
		}
	}
	if (optind == argc)
		return -1;
	fprintf(stderr, "cni-install: unknown argument '%s'\n%s", argv[optind], usage);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	struct options o = { .dir = CNI_BIN_DIR };
	struct err e = { 0 };
	int status;

	setlinebuf(stdout);
	status = parse(argc, argv, &o);
	if (status >= 0)
		return status;

	/* A container's first process gets no signal that it does not ask for; and a file begun is finished. */
	sigemptyset(&ending);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGINT);
	sigprocmask(SIG_BLOCK, &ending, NULL);

	if (work(&o, &e) < 0) {
		fprintf(stderr, "cni-install: %s\n", e.msg);
		if (*e.details)
			fprintf(stderr, "  %s\n", e.details);
		return EXIT_FAILURE;
	}
	if (o.no_sleep)
		return EXIT_SUCCESS;
	puts("done; sleeping until SIGTERM");
	while (sigwaitinfo(&ending, NULL) < 0 && errno == EINTR)
		;
	return EXIT_SUCCESS;
}
