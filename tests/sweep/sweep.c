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
#include "case.h"
#include "planted.h"
#include "pod.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <jansson.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const verb_options[] = { "add", "del", "gc", "repair" };

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

/* Is what the kernel says of an interface's type that? */
static bool has_type(const char *pattern, int type)
{
	char text[16] = "";
	glob_t g;
	int fd;

	if (glob(pattern, 0, NULL, &g))
		return false;
	fd = open(g.gl_pathv[0], O_RDONLY | O_CLOEXEC);
	globfree(&g);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return false;
	close(fd);
	return atoi(text) == type;
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
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/net/*/type", pf);
	s->nic = has_type(path, ARPHRD_INFINIBAND) ? NIC_INFINIBAND : NIC_ETHERNET;
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
	begin_case(&s, "ADD and DEL");
	pod_add(POD);
	call(&s, "ADD", POD);
	call(&s, "DEL", POD);
	end_pod(&s, POD);
	if (s.case_failed)
		return 1;
	see(&s.before);
	if (planted)
		return planted_run(&s) != 0;
	for (enum verb v = 0; v < VERBS; v++)
		if (s.verbs & 1u << v) {
			sweep_verb(&s, v);
			points += s.points[v];
		}
	printf("swept %u points: %u of %u cases, %u failed; in %u the point was not reached\n",
	       points, s.made, s.cases, s.failed, s.missed);
	return s.failed || !s.made || !all_changed(&s);
}
