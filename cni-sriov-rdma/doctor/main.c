/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cni-sriov-rdma-doctor: can a pod use its RDMA devices? It tries, by verbs, what an application would do: for people,
 * for scripts (--json), and for the plugin's CHECK.
 */
#include "exam.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "peer.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_CANNOT_RUN = 2 };

/* What the waits do not bound: a call into a driver that does not come back. */
static void give_up(int signal)
{
	static const char text[] =
		"cni-sriov-rdma-doctor: not done in time: a call into the RDMA driver does not return\n";

	(void)signal;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(EXIT_CANNOT_RUN);
	_exit(EXIT_FAILURE);
}

/* Each wait of each step at its longest, and some time for all that does not wait. */
static unsigned int longest(const struct options *o)
{
	switch (o->mode) {
	case DOCTOR_SERVER: /* 2 × the client's time: it asks for it */
		return o->wait + TRANSFER_TIME_MAX + 6 * o->timeout;
	case DOCTOR_CLIENT:
		return o->seconds + 6 * o->timeout;
	default:
		return o->timeout + 3;
	}
}

static int say_error(const struct options *o, const struct err *e)
{
	json_auto_t *text = NULL;

	fprintf(stderr, "cni-sriov-rdma-doctor: %s%s%s\n", e->msg, e->details[0] ? "; " : "",
		e->details);
	if (o->json) {
		text = json_pack("{s:s, s:s, s:s, s:s}", "tool", "cni-sriov-rdma-doctor", "version",
				 PROJECT_VERSION, "status", "error", "error", e->msg);
		json_dumpf(text, stdout, JSON_INDENT(2));
		putchar('\n');
	}
	return EXIT_CANNOT_RUN;
}

static int say_report(const struct options *o, const struct report *r)
{
	json_auto_t *text = NULL;

	if (o->json) {
		text = report_to_json(r);
		json_dumpf(text, stdout, JSON_INDENT(2));
		putchar('\n');
	} else {
		report_print(r, stdout);
	}
	if (fflush(stdout) || ferror(stdout)) {
		perror("cni-sriov-rdma-doctor: standard output");
		return EXIT_CANNOT_RUN;
	}
	return report_passed(r) ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void examine(const struct options *o, struct place *place, struct report *report,
		    struct target *targets)
{
	uint64_t deadline = clock_ms() + (uint64_t)o->timeout * 1000;
	bool chosen = o->device_count || o->interface;
	unsigned int count = 0;

	if (o->mode == DOCTOR_LOCAL || chosen)
		count = targets_find(place, o, report, targets);
	if (o->mode == DOCTOR_LOCAL)
		for (unsigned int i = 0; i < count; i++)
			exam_run(&targets[i], deadline, report);
	else if (chosen && !count)
		return; /* the report says why */
	else if (o->mode == DOCTOR_SERVER)
		server_run(o, targets, count, report);
	else
		client_run(o, targets, count, report);
}

static int run(const struct options *o)
{
	static const char *const modes[] = {
		[DOCTOR_LOCAL] = "local", [DOCTOR_SERVER] = "server", [DOCTOR_CLIENT] = "client"
	};
	struct report report = { .about = { .mode = modes[o->mode], .pod = o->pod } };
	auto_free struct target *targets = calloc(TARGETS, sizeof(*targets));
	struct place place;
	struct err e;
	int status;

	if (!targets) {
		err_set(&e, CNI_ERR_IO, ENOMEM, "memory");
		return say_error(o, &e);
	}
	if (place_enter(o, &place, &report.about, &e))
		return say_error(o, &e);
	about_now(&report.about);
	examine(o, &place, &report, targets);
	place_leave(&place);
	status = say_report(o, &report);
	report_done(&report);
	return status;
}

int main(int argc, char **argv)
{
	struct options o = { 0 };
	struct err e;

	if (options_parse(argc, argv, &o, &e)) {
		fprintf(stderr, "cni-sriov-rdma-doctor: %s\n\n%s", e.msg, options_usage);
		return EXIT_CANNOT_RUN;
	}
	if (o.mode == DOCTOR_HELP) {
		fputs(options_usage, stdout);
		return EXIT_SUCCESS;
	}
	if (o.mode == DOCTOR_VERSION) {
		puts("cni-sriov-rdma-doctor " PROJECT_VERSION);
		return EXIT_SUCCESS;
	}
	signal(SIGALRM, give_up);
	alarm(longest(&o));
	return run(&o);
}
