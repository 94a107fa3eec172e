/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep: let each system call of each verb fail, and kill the plugin at each, and see what is left behind.
 *
 *   sweep [OPTION…] --vf BDF PLUGIN CNI-PATH CONF-FILE
 *
 *   --verbs LIST    of add,del,gc,repair; all by default
 *   --long          all faults at each point, most of them finished in all ways; otherwise one error and one kill,
 *                   each finished in one way
 *   --part I/N      only each Nth case, beginning with the Ith
 *   --classes LIST  of change,resource,read: which calls are points (inject.c)
 *   --one TEXT      only points whose line holds the text
 *   --planted       instead: plant mistakes, and see that each is caught
 *   --verbose       a line for each case
 *
 * Theory of operation. A case is a verb, a point, a fault, and a way in which the node gets rid of the
 * attachment afterwards: a DEL of the runtime; or none, and `repair` once the pod's namespace is dead; or a new
 * ADD of the VF by another pod, and its DEL, with a late DEL of the first pod in between. Then the whole state of
 * the node must be what it was (state.h). Where a verb other than ADD is under test, the pod has changed all that
 * it can on its interface (pod_tamper). Each kind of fact that an attach or a pod can change with this NIC must have
 * been seen to change, or the sweep itself fails: a comparison of what never changed proves nothing.
 */
#include "plugin.h"
#include "pod.h"
#include "state.h"
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define array_size(a) (sizeof(a) / sizeof((a)[0]))

#define POD	   "swept"
#define NEXT_POD   "sweptnext"
#define HEALER	   "swepthealer"
#define RECORD_DIR "/var/lib/cni/cni-sriov-rdma/attachments"
#define LEASE_DIR  "/var/lib/cni/cni-ipam"

enum verb { VERB_ADD, VERB_DEL, VERB_GC, VERB_REPAIR, VERBS };
static const char *const verb_names[] = { "ADD", "DEL", "GC", "repair" };
static const char *const verb_options[] = { "add", "del", "gc", "repair" };

enum way { WAY_DEL, WAY_REPAIR, WAY_NEXT, WAYS };
static const char *const way_names[] = { "DEL", "repair", "next ADD" };

static const char *const fault_names[] = { "none", "fail",	  "refuse",
					   "late", "kill before", "kill after" };

/* A fault at a point, as the long form has many of. */
struct attempt {
	enum fault fault;
	int error;
	enum victim victim;
};

/* What an attach or a pod can change with this NIC; VF, PF and rdma stand for what is before the blank. */
static const char *const must_change[] = {
	"VF netns",  "VF name",	    "VF mac",	      "VF mtu",		"VF txqlen",   "VF flags",
	"VF alias",  "VF group",    "VF altnames",    "VF promiscuity", "VF allmulti", "PF mac",
	"PF vlan",   "PF qos",	    "PF max_tx_rate", "PF spoofchk",	"PF trust",    "rdma netns",
	"rdma name", "file record", "lease held",
};

struct sweep {
	struct caller caller;
	char *gc_conf; /* the same with cni.dev/valid-attachments: none is valid */
	char bdf[32], pf_vf[64]; /* "0000:01:00.0 vf1" */
	bool has_rdma;
	bool is_long, is_verbose;
	unsigned int verbs, classes, part, parts;
	const char *one;
	struct state before;
	bool noted, changed[array_size(must_change)];
	unsigned int points[VERBS], cases, made, missed, failed;
	const char *label; /* of the case that runs */
	bool case_failed;
};

static void complain(struct sweep *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void complain(struct sweep *s, const char *fmt, ...)
{
	va_list ap;

	if (!s->case_failed)
		printf("FAILED %s\n", s->label);
	s->case_failed = true;
	va_start(ap, fmt);
	printf("    ");
	vprintf(fmt, ap);
	printf("\n");
	va_end(ap);
}

/* --- looking ------------------------------------------------------------------------------------------------ */

static const char *const pods[] = { POD, NEXT_POD, NULL };

static void tell_difference(const char *key, const char *before, const char *after, void *arg)
{
	complain(arg, "%s was '%s', is '%s'", key, before, after);
}

/* What a failed case left behind shall not make the next ones fail: repair, and a whole attachment, may help. */
static void heal(struct sweep *s)
{
	struct said said;

	plugin_repair(&s->caller, NULL, NULL, &said);
	pod_add(HEALER);
	plugin_call(&s->caller, "ADD", HEALER, NULL, NULL, &said);
	plugin_call(&s->caller, "DEL", HEALER, NULL, NULL, &said);
	pod_del(HEALER);
}

/* All must be as before. What is not, even after healing, is told once. */
static void compare(struct sweep *s)
{
	struct state now;
	bool same;

	state_read(&now, pods, LEASE_DIR);
	same = !state_diff(&s->before, &now, tell_difference, s);
	state_done(&now);
	if (same)
		return;
	heal(s);
	state_read(&now, pods, LEASE_DIR);
	state_done(&s->before);
	s->before = now;
}

/* "0000:01:10.0 mtu" to "VF mtu"; "" for what belongs to others. */
static const char *kind_of(const struct sweep *s, const char *key, char buf[96])
{
	const char *last = strrchr(key, ' ');

	buf[0] = '\0';
	if (!strncmp(key, s->bdf, strlen(s->bdf)))
		snprintf(buf, 96, "VF%s", last);
	else if (!strncmp(key, s->pf_vf, strlen(s->pf_vf)) && key[strlen(s->pf_vf)] == ' ')
		snprintf(buf, 96, "PF%s", last);
	else if (!strncmp(key, "rdma ", 5) && last > key + 5)
		snprintf(buf, 96, "rdma%s", last);
	else if (!strncmp(key, "file " RECORD_DIR, strlen("file " RECORD_DIR)))
		strcpy(buf, "file record");
	else if (!strncmp(key, "lease ", 6) || !strncmp(key, "file /var/lib/cni/networks", 26))
		strcpy(buf, "lease held");
	return buf;
}

static void note_change(const char *key, const char *before, const char *after, void *arg)
{
	struct sweep *s = arg;
	char kind[96];

	(void)before;
	(void)after;
	kind_of(s, key, kind);
	for (size_t i = 0; i < array_size(must_change); i++)
		if (!strcmp(kind, must_change[i]))
			s->changed[i] = true;
}

static void note_changes(struct sweep *s)
{
	struct state now;

	state_read(&now, pods, LEASE_DIR);
	state_diff(&s->before, &now, note_change, s);
	state_done(&now);
}

/* --- calling ------------------------------------------------------------------------------------------------ */

/* A call without a fault, which must succeed. */
static bool call(struct sweep *s, const char *verb, const char *pod)
{
	struct said said;
	const char *mistake;

	if (!strcmp(verb, "repair"))
		plugin_repair(&s->caller, NULL, NULL, &said);
	else
		plugin_call(&s->caller, verb, pod, NULL, NULL, &said);
	mistake = plugin_mistake(verb, &said);
	if (mistake)
		complain(s, "%s of %s: %s: %s", verb, pod, mistake, said.out);
	if (said.status)
		complain(s, "%s of %s ended with %d: %s%s", verb, pod, said.status, said.out,
			 said.err);
	return !said.status && !mistake;
}

static void call_with_fault(struct sweep *s, enum verb verb, const struct plan *plan,
			    struct trace *trace, struct said *said)
{
	struct caller gc = s->caller;
	const char *mistake;

	gc.conf = s->gc_conf;
	if (verb == VERB_REPAIR)
		plugin_repair(&s->caller, plan, trace, said);
	else
		plugin_call(verb == VERB_GC ? &gc : &s->caller, verb_names[verb], POD, plan, trace,
			    said);
	mistake = plugin_mistake(verb_names[verb], said);
	if (mistake)
		complain(s, "%s: %s: '%s'", verb_names[verb], mistake, said->out);
	if (trace->hung)
		complain(s, "%s did not end within %d s", verb_names[verb], TRACE_LIMIT_S);
}

static void end_pod(struct sweep *s, const char *pod)
{
	pod_del(pod);
	if (!pod_await_home(s->bdf, s->has_rdma))
		complain(s, "the VF did not come home from %s", pod);
}

/* Up to the verb that is under test. */
static void prepare(struct sweep *s, enum verb verb)
{
	pod_add(POD);
	if (verb == VERB_ADD)
		return;
	if (call(s, "ADD", POD)) {
		pod_tamper(POD, "net1");
		if (!s->noted)
			note_changes(s);
		s->noted = true;
	}
	if (verb == VERB_REPAIR)
		end_pod(s, POD);
}

static void expect_place(struct sweep *s, const char *pod)
{
	struct state now;
	const char *place;
	char key[64];

	state_read(&now, pods, LEASE_DIR);
	snprintf(key, sizeof(key), "%s netns", s->bdf);
	place = state_get(&now, key);
	if (!place || strcmp(place, pod) != 0)
		complain(s, "after a late DEL of the old pod, the VF is in '%s', not in %s",
			 place ? place : "", pod);
	state_done(&now);
}

static void finish(struct sweep *s, enum way way)
{
	switch (way) {
	case WAY_DEL:
		call(s, "DEL", POD);
		compare(s); /* while the pod lives, so that its end cannot do our work */
		end_pod(s, POD);
		break;
	case WAY_REPAIR:
		end_pod(s, POD);
		call(s, "repair", POD);
		compare(s);
		break;
	default:
		end_pod(s, POD);
		pod_add(NEXT_POD);
		if (call(s, "ADD", NEXT_POD)) {
			call(s, "DEL", POD);
			expect_place(s, NEXT_POD);
		}
		call(s, "DEL", NEXT_POD);
		compare(s);
		end_pod(s, NEXT_POD);
	}
}

/* --- cases -------------------------------------------------------------------------------------------------- */

static void run_case(struct sweep *s, enum verb verb, const struct point *p,
		     const struct attempt *a, enum way way)
{
	struct plan plan = {
		.classes = s->classes,
		.fault = a->fault,
		.number = p->number,
		.error = a->error,
		.victim = a->victim,
	};
	char label[400];
	struct trace trace;
	struct said said;
	bool done;

	snprintf(label, sizeof(label), "%s %u (%s%s %s): %s%s%s%s, then %s", verb_names[verb],
		 p->number, p->is_delegate ? "delegate's " : "", p->call, p->object,
		 fault_names[a->fault], a->error ? " " : "",
		 a->error ? strerrorname_np(a->error) : "",
		 a->victim == VICTIM_CALLER ? " (caller)"
		 : a->victim == VICTIM_ALL  ? " (all)"
					    : "",
		 way_names[way]);
	s->label = label;
	s->case_failed = false;
	prepare(s, verb);
	call_with_fault(s, verb, &plan, &trace, &said);
	done = !said.status;
	if (verb == VERB_ADD && done)
		pod_tamper(POD, "net1");
	if (verb == VERB_ADD || !done) {
		finish(s, way);
	} else { /* it says that it has done all */
		compare(s);
		end_pod(s, POD);
	}
	s->made++;
	s->failed += s->case_failed;
	s->missed += !trace.hit;
	if (s->is_verbose || (s->case_failed && said.status < 256))
		printf("%s %s -> %d%s %.300s\n", s->case_failed ? "      " : "ok    ", label,
		       said.status, trace.hit ? "" : " (not reached)",
		       said.status < 256 && said.status ? said.out : "");
	free(trace.points);
}

#define ATTEMPTS_MAX 32

/* Where a point stands in its verb. */
enum position {
	POSITION_ANY,
	POSITION_LAST,
	POSITION_INNER, /* of a row of equal calls: sqlite writes page after page */
};

/*
 * Which faults are put at a point. The short form, and the long one within a row, take one error; and kill after a
 * call only where it is the last one: else what is left is what a kill before the next one leaves.
 */
static size_t attempts_at(const struct sweep *s, const struct point *p, enum position position,
			  struct attempt *ret)
{
	const bool all = s->is_long && position != POSITION_INNER;
	const int *errors = call_errors(p);
	size_t n = 0;

	for (const int *e = errors; *e && (all || e == errors); e++)
		ret[n++] = (struct attempt){ FAULT_REFUSE, *e, 0 };
	if (p->class == CALL_CHANGE) { /* a kill at another one is like one at the next change */
		ret[n++] = (struct attempt){ FAULT_KILL_BEFORE, 0, VICTIM_PLUGIN };
		if (all || position == POSITION_LAST)
			ret[n++] = (struct attempt){ FAULT_KILL_AFTER, 0, VICTIM_PLUGIN };
	}
	if (all && p->is_netlink)
		ret[n++] = (struct attempt){ FAULT_FAIL, ENOBUFS, 0 };
	if (all && p->is_netlink && p->class == CALL_CHANGE)
		ret[n++] = (struct attempt){ FAULT_LATE, errors[0], 0 };
	if (all && p->is_delegate && p->class == CALL_CHANGE)
		for (enum victim victim = VICTIM_CALLER; victim <= VICTIM_ALL; victim++) {
			ret[n++] = (struct attempt){ FAULT_KILL_BEFORE, 0, victim };
			ret[n++] = (struct attempt){ FAULT_KILL_AFTER, 0, victim };
		}
	return n;
}

/* In the long form, all ways to finish follow on kills and on one error; else they take turns. */
static bool is_way_due(const struct sweep *s, const struct point *p, const struct attempt *a,
		       size_t i, enum position position, enum way way)
{
	if (s->is_long && position != POSITION_INNER && (!i || !a->error || a->fault == FAULT_LATE))
		return true;
	return way == (p->number + i) % WAYS;
}

static bool is_in_part(struct sweep *s)
{
	return s->cases++ % s->parts == s->part;
}

static void sweep_point(struct sweep *s, enum verb verb, const struct point *p,
			enum position position)
{
	struct attempt attempts[ATTEMPTS_MAX];
	size_t count = attempts_at(s, p, position, attempts);

	for (size_t i = 0; i < count; i++)
		for (enum way way = 0; way < WAYS; way++)
			if (is_way_due(s, p, &attempts[i], i, position, way) && is_in_part(s))
				run_case(s, verb, p, &attempts[i], way);
}

/* The points of a verb: those of a run without a fault. */
static struct point *find_points(struct sweep *s, enum verb verb, unsigned int *ret_count)
{
	const struct plan plan = { .classes = s->classes };
	struct trace trace;
	struct said said;
	char label[64];

	snprintf(label, sizeof(label), "%s without a fault", verb_names[verb]);
	s->label = label;
	s->case_failed = false;
	prepare(s, verb);
	call_with_fault(s, verb, &plan, &trace, &said);
	if (said.status)
		complain(s, "it ended with %d: %s%s", said.status, said.out, said.err);
	if (verb == VERB_ADD)
		finish(s, WAY_DEL);
	else
		end_pod(s, POD);
	s->failed += s->case_failed;
	*ret_count = trace.count;
	return trace.points;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool is_same_call(const struct point *a, const struct point *b)
{
	return !strcmp(a->call, b->call) && !strcmp(a->object, b->object);
}

static enum position position_of(const struct point *points, unsigned int count, unsigned int i)
{
	if (i + 1 == count)
		return POSITION_LAST;
	return i && is_same_call(&points[i], &points[i - 1]) &&
			       is_same_call(&points[i], &points[i + 1])
		       ? POSITION_INNER
		       : POSITION_ANY;
}

static void sweep_verb(struct sweep *s, enum verb verb)
{
	unsigned int count = 0, made = s->made, swept = 0;
	struct point *points = find_points(s, verb, &count);
	double start = seconds();
	enum position position;
	char line[256];

	for (unsigned int i = 0; i < count; i++) {
		snprintf(line, sizeof(line), "%s %s", points[i].call, points[i].object);
		if (s->one && !strstr(line, s->one))
			continue;
		position = position_of(points, count, i);
		if (position == POSITION_INNER && !s->is_long && i % 3)
			continue;
		swept++;
		sweep_point(s, verb, &points[i], position);
	}
	free(points);
	s->points[verb] = swept;
	printf("%-6s %3u points, %4u cases, %5.1f s\n", verb_names[verb], swept, s->made - made,
	       seconds() - start);
	fflush(stdout);
}

static bool all_changed(const struct sweep *s)
{
	bool all = true;

	for (size_t i = 0; i < array_size(must_change); i++)
		if (!s->changed[i] && (s->has_rdma || strncmp(must_change[i], "rdma", 4) != 0)) {
			printf("FAILED: '%s' was never changed, so nothing shows that it is restored\n",
			       must_change[i]);
			all = false;
		}
	return all;
}

/* --- planted mistakes ---------------------------------------------------------------------------------------- */

/* A record that has lost a part is a program that forgets to restore it. */
static const struct {
	const char *part; /* of the record */
	const char *keys; /* in that part, which are taken out */
	const char *kind; /* what must be found to differ */
} mistakes[] = {
	{ "before", "name", "VF name" },     { "before", "mac", "VF mac" },
	{ "before", "mac pfMac", "PF mac" }, /* either would bring the other back */
	{ "before", "mtu", "VF mtu" },	     { "before", "txqlen", "VF txqlen" },
	{ "before", "flags", "VF flags" },   { "before", "alias", "VF alias" },
	{ "before", "group", "VF group" },   { "before", "altnames", "VF altnames" },
	{ "before", "vlan", "PF vlan" },     { "before", "spoofchk", "PF spoofchk" },
	{ "before", "trust", "PF trust" },   { "before", "txRate", "PF max_tx_rate" },
	{ "before", "rdma", "rdma netns" },  { "conf", "ipam", "lease held" },
};

struct catch
{
	const struct sweep *s;
	const char *kind;
	bool caught;
};

static void look_for_kind(const char *key, const char *before, const char *after, void *arg)
{
	struct catch *c = arg;
	char kind[96];

	(void)before;
	(void)after;
	c->caught |= !strcmp(kind_of(c->s, key, kind), c->kind);
}

static void plant(struct sweep *s, size_t i)
{
	struct catch catch = { s, mistakes[i].kind, false };
	char path[128], label[64], keys[32];
	json_t *record, *whole;
	struct state now;

	snprintf(label, sizeof(label), "planted: %s is forgotten", mistakes[i].kind);
	s->label = label;
	s->case_failed = false;
	snprintf(path, sizeof(path), RECORD_DIR "/%s.json", s->bdf);
	prepare(s, VERB_DEL);
	record = json_load_file(path, 0, NULL);
	whole = json_deep_copy(record);
	snprintf(keys, sizeof(keys), "%s", mistakes[i].keys);
	for (char *key = strtok(keys, " "); key; key = strtok(NULL, " "))
		if (json_object_del(json_object_get(record, mistakes[i].part), key))
			complain(s, "the record has no %s", key);
	json_dump_file(record, path, 0);
	call(s, "DEL", POD);
	state_read(&now, pods, LEASE_DIR);
	state_diff(&s->before, &now, look_for_kind, &catch);
	state_done(&now);
	if (!catch.caught)
		complain(s, "the comparison does not see it");
	/* with the whole record, the node can be put right */
	json_dump_file(whole, path, 0);
	end_pod(s, POD);
	call(s, "repair", POD);
	json_decref(record);
	json_decref(whole);
	compare(s);
	printf("%s %s\n", s->case_failed ? "not ok" : "ok", label);
	s->failed += s->case_failed;
}

/* --- options ------------------------------------------------------------------------------------------------- */

static char *with_device(const char *file, const char *bdf, bool gc)
{
	json_t *conf = json_load_file(file, 0, NULL);
	char *text;

	json_object_set_new(conf, "deviceID", json_string(bdf));
	if (gc)
		json_object_set_new(conf, "cni.dev/valid-attachments", json_array());
	text = conf ? json_dumps(conf, 0) : NULL;
	json_decref(conf);
	if (!text) {
		fprintf(stderr, "sweep: %s is no configuration\n", file);
		exit(2);
	}
	return text;
}

/* Which PF, and which of its VFs? */
static void find_vf(struct sweep *s, const char *bdf)
{
	char path[128], target[256], pf[32];
	const char *base;
	ssize_t n;

	snprintf(s->bdf, sizeof(s->bdf), "%s", bdf);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/physfn", s->bdf);
	n = readlink(path, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = '\0';
	base = strrchr(target, '/');
	snprintf(pf, sizeof(pf), "%s", base ? base + 1 : "");
	for (int i = 0; i < 256; i++) {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/virtfn%d", pf, i);
		n = readlink(path, target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = '\0';
		base = strrchr(target, '/');
		if (base && !strcmp(base + 1, s->bdf))
			snprintf(s->pf_vf, sizeof(s->pf_vf), "%s vf%d", pf, i);
	}
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/infiniband", s->bdf);
	s->has_rdma = !access(path, F_OK);
	if (!s->pf_vf[0]) {
		fprintf(stderr, "sweep: %s is no VF\n", bdf);
		exit(2);
	}
}

static unsigned int class_set(const char *list)
{
	return (strstr(list, "change") ? CALL_CHANGE : 0) |
	       (strstr(list, "resource") ? CALL_RESOURCE : 0) |
	       (strstr(list, "read") ? CALL_READ : 0);
}

static void parse(struct sweep *s, int argc, char **argv, const char **ret_vf, bool *ret_planted)
{
	static const struct option longs[] = {
		{ "vf", required_argument, NULL, 'f' },
		{ "verbs", required_argument, NULL, 'b' },
		{ "long", no_argument, NULL, 'l' },
		{ "part", required_argument, NULL, 'a' },
		{ "classes", required_argument, NULL, 'c' },
		{ "one", required_argument, NULL, 'o' },
		{ "planted", no_argument, NULL, 'p' },
		{ "verbose", no_argument, NULL, 'v' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1)
		switch (c) {
		case 'f':
			*ret_vf = optarg;
			break;
		case 'b':
			s->verbs = 0;
			for (int i = 0; i < VERBS; i++)
				s->verbs |= strstr(optarg, verb_options[i]) ? 1u << i : 0;
			break;
		case 'l':
			s->is_long = true;
			break;
		case 'a':
			if (sscanf(optarg, "%u/%u", &s->part, &s->parts) != 2 || !s->parts)
				exit(2);
			s->part %= s->parts;
			break;
		case 'c':
			s->classes = class_set(optarg);
			break;
		case 'o':
			s->one = optarg;
			break;
		case 'p':
			*ret_planted = true;
			break;
		case 'v':
			s->is_verbose = true;
			break;
		default:
			exit(2);
		}
	if (argc - optind != 3 || !*ret_vf) {
		fprintf(stderr, "usage: sweep [OPTION…] --vf BDF PLUGIN CNI-PATH CONF-FILE\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct sweep s = { .verbs = (1 << VERBS) - 1, .classes = CALL_CHANGE, .parts = 1 };
	const char *vf = NULL;
	bool planted = false;
	unsigned int points = 0;

	setvbuf(stdout, NULL, _IOLBF, 0); /* who waits for long wants to see how far it is */
	parse(&s, argc, argv, &vf, &planted);
	find_vf(&s, vf);
	s.caller = (struct caller){ argv[optind], argv[optind + 1],
				    with_device(argv[optind + 2], vf, false) };
	s.gc_conf = with_device(argv[optind + 2], vf, true);

	/* once, for the directories and the database of leases, which stay */
	s.label = "ADD and DEL";
	pod_add(POD);
	call(&s, "ADD", POD);
	call(&s, "DEL", POD);
	end_pod(&s, POD);
	if (s.case_failed)
		return 1;
	state_read(&s.before, pods, LEASE_DIR);
	if (planted)
		for (size_t i = 0; i < array_size(mistakes); i++)
			plant(&s, i);
	for (enum verb v = 0; v < VERBS && !planted; v++)
		if (s.verbs & 1u << v) {
			sweep_verb(&s, v);
			points += s.points[v];
		}
	if (planted) {
		printf("%zu mistakes planted, %u not caught\n", array_size(mistakes), s.failed);
		return s.failed != 0;
	}
	printf("swept %u points: %u of %u cases, %u failed; in %u the point was not reached\n",
	       points, s.made, s.cases, s.failed, s.missed);
	return s.failed || !s.made || !all_changed(&s);
}
