/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storm: many pods that want few VFs, all at once, with kills.
 *
 *   storm [--seconds S] [--seed N] [--pods N] [--all] PLUGIN CNI-PATH CONF-FILE VF…
 *
 *   --all    fail when one of the kinds of event has not happened: for long storms
 *
 * Theory of operation. Each pod is a process that, again and again, makes a namespace, asks for a VF that chance
 * chooses, keeps it for a moment, and gives it back; at any time it may kill the plugin with SIGKILL, or go away
 * without a DEL, or send two DELs at once, or an ADD and a DEL at once, or a DEL for a pod that is long gone. One
 * more process sends GC, with what lives as valid, and one calls repair. Who has which VF and which address is
 * written down in shared memory: what is there already when a pod gets it, two have. A verb that does not end in
 * time has deadlocked. At the end, after one repair and one GC, the node must be what it was (state.h).
 */
#include "storm.h"

#include "pod.h"
#include "state.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LEASES "/var/lib/cni/cni-ipam"

static const char *const event_names[] = {
	"ADDs",
	"refused, as the VF was held",
	"ADDs killed",
	"DELs",
	"DELs killed",
	"abandoned",
	"two DELs at once",
	"ADD with DEL",
	"late DELs",
	"GCs",
	"repairs",
};

void violation(struct storm *s, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	printf("VIOLATION: %s\n", text);
	s->board->violations++;
}

void count(struct storm *s, enum event event)
{
	s->board->events[event]++;
}

void storm_expect_end(struct storm *s, const char *who, const char *verb, const struct said *said)
{
	const char *mistake = plugin_mistake(verb, said);

	if (said->status == PLUGIN_HUNG)
		violation(s, "%s of %s did not end within %d s", verb, who, LIMIT_S);
	if (mistake)
		violation(s, "%s of %s: %s: '%s'", verb, who, mistake, said->out);
}

int storm_error_code(const struct said *said)
{
	json_t *root = json_loads(said->out, 0, NULL);
	int code = (int)json_integer_value(json_object_get(root, "code"));

	json_decref(root);
	return code;
}

static void add_valid(json_t *valid, unsigned int pod, int round)
{
	char cid[64];

	snprintf(cid, sizeof(cid), "cid-storm%u-%d", pod, round);
	json_array_append_new(valid, json_pack("{s:s, s:s}", "containerID", cid, "ifname", "net1"));
}

/*
 * What is valid. The specification forbids GC while ADDs run, as the list would lack those that begin after it was
 * made; here, that is known in advance: each pod's next rounds are in the list, too.
 */
static char *gc_conf(struct storm *s)
{
	json_t *conf = json_copy(s->conf), *valid = json_array();
	char *text;

	for (unsigned int i = 0; i < s->pods; i++) {
		int round = s->board->rounds[i];

		if (s->board->lives[i])
			add_valid(valid, i, round);
		for (int next = round + 1; next < round + 8; next++)
			add_valid(valid, i, next);
	}
	json_object_set_new(conf, "cni.dev/valid-attachments", valid);
	text = json_dumps(conf, 0);
	json_decref(conf);
	return text;
}

static void gc(struct storm *s)
{
	char *conf = gc_conf(s);
	struct caller c = { s->plugin, s->cni_path, conf };
	struct said said;

	plugin_call(&c, "GC", "gc", NULL, NULL, &said);
	storm_expect_end(s, "all", "GC", &said);
	if (said.status && storm_error_code(&said) != AGAIN)
		violation(s, "GC failed: %s", said.out);
	count(s, EVENT_GC);
	free(conf);
}

static void repair(struct storm *s)
{
	struct caller c = { s->plugin, s->cni_path, "" };
	struct said said;

	plugin_repair(&c, NULL, NULL, &said);
	if (said.status)
		violation(s, "repair failed: %s%s", said.out, said.err);
	count(s, EVENT_REPAIR);
}

static pid_t begin(void (*be)(struct storm *s, unsigned int number), struct storm *s,
		   unsigned int number)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	be(s, number);
	fflush(stdout);
	_exit(0);
}

static void be_repairer(struct storm *s, unsigned int number)
{
	(void)number;
	while (!s->board->stop) {
		usleep(700000);
		repair(s);
	}
}

static void be_gc(struct storm *s, unsigned int number)
{
	(void)number;
	while (!s->board->stop) {
		usleep(900000);
		gc(s);
	}
}

static void rage(struct storm *s)
{
	pid_t pids[PODS_MAX + 2];
	unsigned int n = 0;

	for (; n < s->pods; n++)
		pids[n] = begin(storm_be_pod, s, n);
	pids[n++] = begin(be_gc, s, 0);
	pids[n++] = begin(be_repairer, s, 0);
	sleep((unsigned int)s->seconds);
	s->board->stop = true;
	for (unsigned int i = 0; i < n; i++) {
		int status = 0;

		waitpid(pids[i], &status, 0);
		if (status)
			violation(s, "a process of the storm ended with status %#x", status);
	}
	while (waitpid(-1, NULL, 0) >
	       0) /* delegates whose plugin was killed: we are their reaper */
		;
}

#define VERBS "/sys/class/infiniband_verbs/"

/*
 * Whose number has become another's? The kernel itself sends home what dead namespaces had, several at once where several
 * died, and numbers the verbs devices as they come.
 */
static bool has_other_number(const struct state *now, const char *key, const char *device)
{
	if (strncmp(key, VERBS, strlen(VERBS)) != 0)
		return false;
	for (size_t i = 0; i < now->count; i++)
		if (!strncmp(now->facts[i].key, VERBS, strlen(VERBS)) &&
		    !strcmp(now->facts[i].value, device))
			return true;
	return false;
}

struct end {
	struct storm *storm;
	const struct state *now;
};

static void tell_difference(const char *key, const char *before, const char *after, void *arg)
{
	const struct end *end = arg;

	if (!*before || !*after || !has_other_number(end->now, key, before))
		violation(end->storm, "at the end, %s was '%s', is '%s'", key, before, after);
}

static void settle(struct storm *s, const struct state *before)
{
	struct state after;

	for (unsigned int i = 0; i < s->vf_count; i++)
		if (!pod_await_home(s->vfs[i], false))
			violation(s, "VF %s did not come home", s->vfs[i]);
	repair(s);
	gc(s);
	sleep(1); /* the last namespaces' end */
	state_read(&after, NULL, LEASES);
	state_diff(before, &after, tell_difference, &(struct end){ s, &after });
	state_done(&after);
}

static bool parse(struct storm *s, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ "seed", required_argument, NULL, 'r' },
		{ "pods", required_argument, NULL, 'p' },
		{ "all", no_argument, NULL, 'a' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1)
		switch (c) {
		case 's':
			s->seconds = atoi(optarg);
			break;
		case 'r':
			s->seed = (unsigned int)strtoul(optarg, NULL, 10);
			break;
		case 'p':
			s->pods = (unsigned int)strtoul(optarg, NULL, 10);
			break;
		case 'a':
			s->needs_all = true;
			break;
		default:
			return false;
		}
	if (argc - optind < 4 || argc - optind - 3 > VFS_MAX || s->pods > PODS_MAX)
		return false;
	s->plugin = argv[optind];
	s->cni_path = argv[optind + 1];
	s->conf = json_load_file(argv[optind + 2], 0, NULL);
	s->vfs = argv + optind + 3;
	s->vf_count = (unsigned int)(argc - optind - 3);
	return s->conf;
}

int main(int argc, char **argv)
{
	struct storm s = { .seconds = 30, .seed = (unsigned int)time(NULL), .pods = 16 };
	struct state before;
	bool all = true;

	if (!parse(&s, argc, argv)) {
		fprintf(stderr,
			"usage: storm [--seconds S] [--seed N] [--pods N] [--all] PLUGIN CNI-PATH "
			"CONF-FILE VF…\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("storm: seed %u, %u pods, %u VFs, %d s\n", s.seed, s.pods, s.vf_count, s.seconds);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	s.board = mmap(NULL, sizeof(*s.board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (s.board == MAP_FAILED)
		return 3;
	s.board->verb_us = 500000;
	state_read(&before, NULL, LEASES);
	rage(&s);
	settle(&s, &before);
	for (int i = 0; i < EVENTS; i++) {
		printf("%6u %s\n", s.board->events[i], event_names[i]);
		all &= s.board->events[i] > 0 || (!s.needs_all && i != EVENT_ADD);
	}
	if (!all)
		printf("FAILED: not all of these happened\n");
	printf("%u violations (seed %u)\n", s.board->violations, s.seed);
	return !all || s.board->violations;
}
