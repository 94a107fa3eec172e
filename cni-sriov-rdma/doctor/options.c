/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include "base/cleanup.h"
#include "base/number.h"

#include <getopt.h>
#include <limits.h>
#include <net/if.h>
#include <string.h>

const char options_usage[] =
	"usage: cni-sriov-rdma-doctor [OPTION…]                   check the RDMA devices of a pod\n"
	"       cni-sriov-rdma-doctor --server [OPTION…]          wait for one client, in another pod\n"
	"       cni-sriov-rdma-doctor --client ADDRESS [OPTION…]  transfer data to that server\n"
	"\n"
	"  --netns PATH       in this network namespace, e.g. /run/netns/one\n"
	"  --pid N            in that of a process; default: the own one\n"
	"  --device NAME      only this RDMA device; may be repeated\n"
	"  --interface NAME   only the device of this interface, e.g. net1\n"
	"  --timeout SECONDS  bound of everything that waits (10)\n"
	"  --pod TEXT         whose it is, for the report\n"
	"  --json             a report for programs\n"
	"  --port N           port of server and client (18516)\n"
	"  --wait SECONDS     server: how long for a client (120)\n"
	"  --size BYTES       client: of a message (65536)\n"
	"  --iterations N     client: as many messages (1000), or\n"
	"  --seconds N        client: as long (5), whichever ends first\n"
	"  --version, --help\n"
	"\n"
	"Exit status: 0 all passed, 1 something failed, 2 it could not be run. See cni-sriov-rdma-doctor(8).\n";

enum {
	OPT_NETNS = 256,
	OPT_PID,
	OPT_DEVICE,
	OPT_INTERFACE,
	OPT_TIMEOUT,
	OPT_POD,
	OPT_JSON,
	OPT_SERVER,
	OPT_CLIENT,
	OPT_PORT,
	OPT_WAIT,
	OPT_SIZE,
	OPT_ITERATIONS,
	OPT_SECONDS,
	OPT_VERSION,
	OPT_HELP,
};

static const struct option longs[] = {
	{ "netns", required_argument, NULL, OPT_NETNS },
	{ "pid", required_argument, NULL, OPT_PID },
	{ "device", required_argument, NULL, OPT_DEVICE },
	{ "interface", required_argument, NULL, OPT_INTERFACE },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "pod", required_argument, NULL, OPT_POD },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "server", no_argument, NULL, OPT_SERVER },
	{ "client", required_argument, NULL, OPT_CLIENT },
	{ "port", required_argument, NULL, OPT_PORT },
	{ "wait", required_argument, NULL, OPT_WAIT },
	{ "size", required_argument, NULL, OPT_SIZE },
	{ "iterations", required_argument, NULL, OPT_ITERATIONS },
	{ "seconds", required_argument, NULL, OPT_SECONDS },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ "help", no_argument, NULL, OPT_HELP },
	{ 0 },
};

/* What was given: some options belong to one mode. */
struct given {
	bool server, client, port, wait, transfer;
};

static int wrong(struct err *e, const char *option, const char *value, const char *allowed)
{
	return err_set(e, CNI_ERR_CONFIG, 0, "--%s: \"%s\" is not %s", option, value, allowed);
}

static int parse_number(const char *option, const char *text, uint32_t max, uint32_t *ret,
			struct err *e)
{
	uint64_t number;

	if (number_parse(text, max, &number) || !number)
		return err_set(e, CNI_ERR_CONFIG, 0, "--%s: \"%s\" is not a number from 1 to %u",
			       option, text, max);
	*ret = (uint32_t)number;
	return 0;
}

static int parse_port(const char *text, uint16_t *ret, struct err *e)
{
	uint32_t port = 0;
	int r = parse_number("port", text, UINT16_MAX, &port, e);

	if (!r)
		*ret = (uint16_t)port;
	return r;
}

static int parse_pid(const char *text, uint64_t *ret, struct err *e)
{
	uint32_t pid = 0;
	int r = parse_number("pid", text, INT_MAX, &pid, e);

	if (!r)
		*ret = pid;
	return r;
}

static bool is_name(const char *text, size_t max)
{
	return *text && strlen(text) < max && !strchr(text, '/');
}

static int add_device(const char *name, struct options *o, struct err *e)
{
	if (!is_name(name, 64))
		return wrong(e, "device", name, "the name of an RDMA device");
	if (o->device_count == array_size(o->devices))
		return err_set(e, CNI_ERR_CONFIG, 0, "--device: \"%s\" is one more than %d", name,
			       OPTIONS_DEVICES);
	o->devices[o->device_count++] = name;
	return 0;
}

static int take(int option, const char *arg, struct options *o, struct given *given, struct err *e)
{
	switch (option) {
	case OPT_NETNS:
		o->netns = arg;
		return *arg ? 0 : wrong(e, "netns", arg, "a path");
	case OPT_PID:
		return parse_pid(arg, &o->pid, e);
	case OPT_DEVICE:
		return add_device(arg, o, e);
	case OPT_INTERFACE:
		o->interface = arg;
		return is_name(arg, IFNAMSIZ) ? 0
					      : wrong(e, "interface", arg, "an interface's name");
	case OPT_TIMEOUT:
		return parse_number("timeout", arg, DOCTOR_TIMEOUT_MAX, &o->timeout, e);
	case OPT_POD:
		o->pod = arg;
		return 0;
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_SERVER:
		given->server = true;
		return 0;
	case OPT_CLIENT:
		given->client = true;
		return inet_addr_parse(arg, &o->peer)
			       ? wrong(e, "client", arg, "an IPv4 or IPv6 address")
			       : 0;
	case OPT_PORT:
		given->port = true;
		return parse_port(arg, &o->port, e);
	case OPT_WAIT:
		given->wait = true;
		return parse_number("wait", arg, DOCTOR_TIMEOUT_MAX, &o->wait, e);
	case OPT_SIZE:
		given->transfer = true;
		return parse_number("size", arg, TRANSFER_SIZE_MAX, &o->size, e);
	case OPT_ITERATIONS:
		given->transfer = true;
		return parse_number("iterations", arg, UINT32_MAX, &o->iterations, e);
	case OPT_SECONDS:
		given->transfer = true;
		return parse_number("seconds", arg, TRANSFER_TIME_MAX, &o->seconds, e);
	default:
		return 0;
	}
}

static int check_together(const struct options *o, const struct given *given, struct err *e)
{
	if (o->netns && o->pid)
		return err_set(e, CNI_ERR_CONFIG, 0, "--netns and --pid: only one of them");
	if (given->server && given->client)
		return err_set(e, CNI_ERR_CONFIG, 0, "--server and --client: only one of them");
	if (given->port && !given->server && !given->client)
		return err_set(e, CNI_ERR_CONFIG, 0, "--port is for --server and --client");
	if (given->wait && !given->server)
		return err_set(e, CNI_ERR_CONFIG, 0, "--wait is for --server");
	if (given->transfer && !given->client)
		return err_set(e, CNI_ERR_CONFIG, 0,
			       "--size, --iterations and --seconds are for --client");
	return 0;
}

int options_parse(int argc, char **argv, struct options *ret, struct err *e)
{
	struct options o = { .pod = "",
			     .port = 18516,
			     .size = 65536,
			     .iterations = 1000,
			     .seconds = 5,
			     .wait = 120,
			     .timeout = 10 };
	struct given given = { 0 };
	int c, r;

	optind = 0; /* a unit test parses more than one line */
	opterr = 0; /* told by our own error */
	while ((c = getopt_long(argc, argv, ":h", longs, NULL)) != -1) {
		if (c == ':')
			return err_set(e, CNI_ERR_CONFIG, 0, "%s wants a value", argv[optind - 1]);
		if (c == '?')
			return err_set(e, CNI_ERR_CONFIG, 0, "unknown option %s", argv[optind - 1]);
		if (c == OPT_HELP || c == 'h' || c == OPT_VERSION) {
			o.mode = c == OPT_VERSION ? DOCTOR_VERSION : DOCTOR_HELP;
			*ret = o;
			return 0;
		}
		r = take(c, optarg, &o, &given, e);
		if (r)
			return r;
	}
	if (optind < argc)
		return err_set(e, CNI_ERR_CONFIG, 0, "unknown argument %s", argv[optind]);
	r = check_together(&o, &given, e);
	if (r)
		return r;
	o.mode = given.server ? DOCTOR_SERVER : given.client ? DOCTOR_CLIENT : DOCTOR_LOCAL;
	*ret = o;
	return 0;
}
