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
#include "plugin.h"
#include "pod.h"
#include "state.h"

#include <fcntl.h>
#include <getopt.h>
#include <jansson.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PODS_MAX 64
#define VFS_MAX	 64
#define LIMIT_S	 100 /* more than all the locks' deadlines in a row */
#define AGAIN	 11 /* CNI: try again later */
#define LEASES	 "/var/lib/cni/cni-ipam"

unsigned int if_nametoindex(const char *name);

enum event {
	EVENT_ADD,
	EVENT_HELD,
	EVENT_ADD_KILLED,
	EVENT_DEL,
	EVENT_DEL_KILLED,
	EVENT_ABANDONED,
	EVENT_TWO_DELS,
	EVENT_ADD_AND_DEL,
	EVENT_LATE_DEL,
	EVENT_GC,
	EVENT_REPAIR,
	EVENTS,
};

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

/* What the processes share. */
struct board {
	atomic_int vf[VFS_MAX]; /* pod + 1 that has it */
	atomic_int address[1 << 16]; /* by its last two bytes */
	atomic_int rounds[PODS_MAX]; /* which round a pod is in */
	atomic_bool lives[PODS_MAX]; /* is that round's attachment valid? */
	atomic_uint events[EVENTS];
	atomic_uint violations;
	atomic_int verb_us; /* how long one took lately: kills are spread over that */
	atomic_bool stop;
};

struct storm {
	struct board *board;
	const char *plugin, *cni_path;
	json_t *conf;
	char **vfs;
	unsigned int vf_count, pods, seed;
	int seconds;
	bool needs_all;
};

static void violation(struct storm *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void violation(struct storm *s, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	printf("VIOLATION: %s\n", text);
	s->board->violations++;
}

static void count(struct storm *s, enum event event)
{
	s->board->events[event]++;
}

/* --- one pod -------------------------------------------------------------------------------------------------- */

struct pod {
	struct storm *s;
	unsigned int number;
	int round;
	unsigned int random;
	char name[32], old_name[32];
	unsigned int vf;
	int address; /* its last two bytes; -1 = none */
	char *conf;
};

static unsigned int chance(struct pod *p, unsigned int of)
{
	return (unsigned int)rand_r(&p->random) % of;
}

static struct caller caller_of(const struct pod *p)
{
	return (struct caller){ p->s->plugin, p->s->cni_path, p->conf };
}

static void expect_end(struct pod *p, const char *verb, const struct said *said)
{
	const char *mistake = plugin_mistake(verb, said);

	if (said->status == PLUGIN_HUNG)
		violation(p->s, "%s of %s did not end within %d s", verb, p->name, LIMIT_S);
	if (mistake)
		violation(p->s, "%s of %s: %s: '%s'", verb, p->name, mistake, said->out);
}

static int error_code(const struct said *said)
{
	json_t *root = json_loads(said->out, 0, NULL);
	int code = (int)json_integer_value(json_object_get(root, "code"));

	json_decref(root);
	return code;
}

static int address_of(const struct said *said)
{
	json_t *root = json_loads(said->out, 0, NULL);
	const char *text = json_string_value(
		json_object_get(json_array_get(json_object_get(root, "ips"), 0), "address"));
	int a, b, c, d, ret = -1;

	if (text && sscanf(text, "%d.%d.%d.%d", &a, &b, &c, &d) == 4)
		ret = (c & 0xff) << 8 | (d & 0xff);
	json_decref(root);
	return ret;
}

static void expect_vf(struct pod *p, const char *when)
{
	int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), ns;
	char path[128];

	snprintf(path, sizeof(path), POD_DIR "/%s", p->name);
	ns = open(path, O_RDONLY | O_CLOEXEC);
	if (own < 0 || ns < 0 || setns(ns, CLONE_NEWNET))
		exit(3);
	if (!if_nametoindex("net1"))
		violation(p->s, "%s: there is no net1 in %s, VF %s", when, p->name,
			  p->s->vfs[p->vf]);
	if (setns(own, CLONE_NEWNET))
		exit(3);
	close(own);
	close(ns);
}

static void take(struct pod *p, const struct said *said)
{
	struct board *b = p->s->board;
	int none = 0, me = (int)p->number + 1;

	if (!atomic_compare_exchange_strong(&b->vf[p->vf], &none, me))
		violation(p->s, "pods %d and %d both have VF %s", me - 1, none - 1,
			  p->s->vfs[p->vf]);
	p->address = address_of(said);
	none = 0;
	if (p->address >= 0 && !atomic_compare_exchange_strong(&b->address[p->address], &none, me))
		violation(p->s, "pods %d and %d both have the address x.x.%d.%d", me - 1, none - 1,
			  p->address >> 8, p->address & 0xff);
	expect_vf(p, "after ADD");
}

static void give_up(struct pod *p)
{
	expect_vf(p, "before DEL");
	if (p->address >= 0)
		p->s->board->address[p->address] = 0;
	p->s->board->vf[p->vf] = 0;
}

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* A verb, of which one in five is killed somewhere in its time. */
static void call(struct pod *p, const char *verb, const char *name, struct said *said)
{
	struct caller c = caller_of(p);
	int64_t start = now_us();
	int kill_us = -1;
	struct running running;

	if (!chance(p, 5))
		kill_us = (int)((int64_t)p->s->board->verb_us * chance(p, 120) / 100);
	plugin_start(&c, verb, name, &running);
	plugin_end(&running, kill_us, LIMIT_S, said);
	expect_end(p, verb, said);
	if (!said->status)
		p->s->board->verb_us = (int)(now_us() - start);
}

/* Returns whether the pod got the VF. */
static bool add(struct pod *p, bool *ret_killed)
{
	struct said said;

	call(p, "ADD", p->name, &said);
	*ret_killed = said.status > 255;
	if (*ret_killed) {
		count(p->s, EVENT_ADD_KILLED);
	} else if (!said.status) {
		count(p->s, EVENT_ADD);
		take(p, &said);
	} else if (error_code(&said) == AGAIN) {
		count(p->s, EVENT_HELD);
	} else {
		violation(p->s, "ADD of %s to %s failed: %s", p->s->vfs[p->vf], p->name, said.out);
	}
	return !said.status;
}

/* As a runtime does: again and again until it succeeds. */
static void del(struct pod *p, const char *name)
{
	struct said said;

	for (int attempt = 0; attempt < 8; attempt++) {
		call(p, "DEL", name, &said);
		if (!said.status) {
			count(p->s, EVENT_DEL);
			return;
		}
		if (said.status > 255)
			count(p->s, EVENT_DEL_KILLED);
		else if (error_code(&said) != AGAIN)
			violation(p->s, "DEL of %s failed: %s", name, said.out);
	}
	violation(p->s, "DEL of %s did not succeed in 8 attempts: %s", name, said.out);
}

static void two_at_once(struct pod *p, const char *first, const char *second)
{
	struct caller c = caller_of(p);
	struct running a, b;
	struct said said;

	plugin_start(&c, first, p->name, &a);
	usleep(chance(p, 200) * 1000);
	plugin_start(&c, second, p->name, &b);
	for (int i = 0; i < 2; i++) {
		const char *verb = i ? second : first;

		plugin_end(i ? &b : &a, -1, LIMIT_S, &said);
		expect_end(p, verb, &said);
		if (said.status && error_code(&said) != AGAIN)
			violation(p->s, "%s of %s, with %s at once, failed: %s", verb, p->name,
				  i ? first : second, said.out);
	}
}

static void choose_vf(struct pod *p)
{
	json_t *conf = json_copy(p->s->conf);

	p->vf = chance(p, p->s->vf_count);
	json_object_set_new(conf, "deviceID", json_string(p->s->vfs[p->vf]));
	free(p->conf);
	p->conf = json_dumps(conf, 0);
	json_decref(conf);
}

/* From a namespace to its end. */
static void live(struct pod *p)
{
	struct board *b = p->s->board;
	bool killed = false, attached;

	choose_vf(p);
	snprintf(p->old_name, sizeof(p->old_name), "%s", p->name);
	snprintf(p->name, sizeof(p->name), "storm%u-%d", p->number, ++p->round);
	b->lives[p->number] = true;
	b->rounds[p->number] = p->round;
	pod_add(p->name);
	if (!chance(p, 6)) {
		count(p->s, EVENT_ADD_AND_DEL);
		two_at_once(p, "ADD", "DEL");
		attached = false;
	} else {
		attached = add(p, &killed);
	}
	if (attached)
		usleep(chance(p, 100) * 1000);
	if (p->old_name[0] && !chance(p, 5)) {
		count(p->s, EVENT_LATE_DEL);
		del(p, p->old_name);
	}
	if (attached)
		give_up(p);
	if (killed && !chance(p, 3)) {
		count(p->s, EVENT_ABANDONED);
		b->lives[p->number] = false;
		pod_del(p->name);
		return;
	}
	if (!chance(p, 4)) {
		count(p->s, EVENT_TWO_DELS);
		two_at_once(p, "DEL", "DEL");
	}
	del(p, p->name);
	b->lives[p->number] = false;
	pod_del(p->name);
}

static void be_pod(struct storm *s, unsigned int number)
{
	struct pod p = { .s = s, .number = number, .random = s->seed * 1000 + number };

	while (!s->board->stop)
		live(&p);
}

/* --- the others ----------------------------------------------------------------------------------------------- */

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
	struct pod p = { .s = s, .name = "all" };
	struct caller c;
	struct said said;

	p.conf = gc_conf(s);
	c = caller_of(&p);
	plugin_call(&c, "GC", "gc", NULL, NULL, &said);
	expect_end(&p, "GC", &said);
	if (said.status && error_code(&said) != AGAIN)
		violation(s, "GC failed: %s", said.out);
	count(s, EVENT_GC);
	free(p.conf);
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
		pids[n] = begin(be_pod, s, n);
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
