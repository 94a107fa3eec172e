/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inject: run a program and let one of its system calls fail, or kill it there.
 *
 *   inject [OPTION…] [MODE] PROGRAM [ARG…]
 *
 *   --count            print the points, one line each: number, process, call, object (the default)
 *   --fail N           the Nth call is not made and returns the error
 *   --refuse N         a netlink request: the kernel refuses it; anything else: as --fail
 *   --late N           the call is made, and returns the error all the same
 *   --kill-before N    SIGKILL, and the Nth call is not made
 *   --kill-after N     SIGKILL when the Nth call has been made
 *
 *   --errno NAME       the error, e.g. ENOSPC; by default, the likeliest one of --count
 *                      0 with --refuse: the request is silently not done
 *   --match TEXT       only calls whose line holds the text are points; N = 0 means each of them
 *   --class LIST       which calls are points, of change,resource,read; change by default
 *   --whom WHO         is killed: plugin (the default; a delegate lives on), caller, all
 *
 * The points go to stderr, or to the file --points FILE. The status is the program's; 137 when it was killed;
 * 125 when the point was not reached. See trace.h for how it works, call.c for which calls are points.
 */
#include "trace.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int error_number(const char *name)
{
	for (int e = 1; e < 134; e++)
		if (strerrorname_np(e) && !strcmp(strerrorname_np(e), name))
			return e;
	return strcmp(name, "0") ? -1 : 0;
}

static unsigned int class_set(const char *list)
{
	return (strstr(list, "change") ? CALL_CHANGE : 0) |
	       (strstr(list, "resource") ? CALL_RESOURCE : 0) |
	       (strstr(list, "read") ? CALL_READ : 0);
}

static int usage(void)
{
	fprintf(stderr,
		"usage: inject [--count | --fail|--refuse|--late|--kill-before|--kill-after N] "
		"[--errno E] [--match TEXT] [--class LIST] [--whom WHO] "
		"[--points FILE] PROGRAM [ARG…]; see tests/sweep/inject.c\n");
	return 2;
}

static void print_points(FILE *f, const struct trace *t)
{
	for (unsigned int i = 0; i < t->count; i++) {
		const struct point *p = &t->points[i];

		fprintf(f, "%u %s %s %s", p->number, p->is_delegate ? "delegate" : "plugin",
			p->call, p->object);
		for (const int *e = call_errors(p); *e; e++)
			fprintf(f, "%s%s", e == call_errors(p) ? " | " : ",", strerrorname_np(*e));
		fprintf(f, "\n");
	}
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "count", no_argument, NULL, FAULT_NONE },
		{ "fail", required_argument, NULL, FAULT_FAIL },
		{ "refuse", required_argument, NULL, FAULT_REFUSE },
		{ "late", required_argument, NULL, FAULT_LATE },
		{ "kill-before", required_argument, NULL, FAULT_KILL_BEFORE },
		{ "kill-after", required_argument, NULL, FAULT_KILL_AFTER },
		{ "errno", required_argument, NULL, 'e' },
		{ "match", required_argument, NULL, 'm' },
		{ "class", required_argument, NULL, 'c' },
		{ "whom", required_argument, NULL, 'w' },
		{ "points", required_argument, NULL, 'p' },
		{ 0 },
	};
	struct plan plan = { .classes = CALL_CHANGE, .error = EIO };
	const int own[3] = { -1, -1, -1 };
	FILE *points = stderr;
	struct trace trace;
	int c;

	while ((c = getopt_long(argc, argv, "+", longs, NULL)) != -1) {
		switch (c) {
		case 'e':
			plan.error = error_number(optarg);
			break;
		case 'm':
			plan.match = optarg;
			break;
		case 'c':
			plan.classes = class_set(optarg);
			break;
		case 'w':
			plan.victim = !strcmp(optarg, "all")	  ? VICTIM_ALL
				      : !strcmp(optarg, "caller") ? VICTIM_CALLER
								  : VICTIM_PLUGIN;
			break;
		case 'p':
			points = fopen(optarg, "we");
			break;
		case '?':
			return usage();
		default:
			plan.fault = (enum fault)c;
			plan.number = optarg ? (unsigned int)strtoul(optarg, NULL, 10) : 0;
		}
	}
	if (optind == argc || plan.error < 0 || !points)
		return usage();
	if (trace_run(&plan, argv + optind, environ, own, &trace)) {
		fprintf(stderr, "inject: %s: %s\n", argv[optind], strerror(errno));
		return 126;
	}
	if (plan.fault == FAULT_NONE)
		print_points(points, &trace);
	free(trace.points);
	if (plan.fault != FAULT_NONE && !trace.hit)
		return 125;
	return WIFEXITED(trace.status) ? WEXITSTATUS(trace.status) : 128 + WTERMSIG(trace.status);
}
