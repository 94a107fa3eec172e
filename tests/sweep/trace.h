/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a program and putting one fault into its system calls.
 *
 * Theory of operation. The program runs under ptrace, with a seccomp filter that stops it only at the calls
 * that can be points (call.h), so all else runs at full speed, and the program itself knows nothing of it. Its
 * children, such as an IPAM plugin that it starts, are traced too. Points are numbered in the order of time;
 * while a plugin waits for its delegate, only one of them runs, so the numbers are the same in each run.
 *
 * A netlink request can fail in three ways. FAULT_FAIL: the send fails. FAULT_REFUSE: the kernel refuses:
 * the message is sent as NLMSG_NOOP, which the kernel acknowledges and does not look at, and the
 * acknowledgement gets the error when it is received. FAULT_LATE: the kernel does it and reports an error all the
 * same, as RTM_NEWLINK does, whose parts are applied one by one and not taken back (do_setlink).
 */
#pragma once

#include "call.h"

enum fault {
	FAULT_NONE, /* count only */
	FAULT_FAIL, /* the call is not made and returns the error */
	FAULT_REFUSE, /* of a netlink request: the kernel refuses it; anything else: as FAULT_FAIL */
	FAULT_LATE, /* of a netlink request: done, and an error reported; else: made, and the error returned */
	FAULT_KILL_BEFORE, /* SIGKILL, and the call is not made */
	FAULT_KILL_AFTER, /* SIGKILL when the call has been made */
};

/* Who is killed. The runtime knows, and kills, its plugin only: a delegate lives on. */
enum victim { VICTIM_PLUGIN, VICTIM_CALLER, VICTIM_ALL };

struct plan {
	unsigned int classes; /* which calls count as points */
	const char *match; /* only those whose description contains it; NULL = all */
	enum fault fault;
	unsigned int number; /* the point at which; 0 = at each */
	int error; /* positive errno; 0 with FAULT_REFUSE: silently not done */
	enum victim victim;
};

struct trace {
	int status; /* of the program, as from waitpid */
	bool hit; /* the planned point was reached */
	bool hung; /* it was ended because it took too long */
	unsigned int count;
	struct point *points; /* an array of @count; the caller frees it */
	struct point at; /* the planned one */
};

#define TRACE_LIMIT_S 90

/**
 * trace_run() - run a program with a planned fault, until it and all its children have ended
 * @argv: argv[0] is a path, or found in PATH
 * @fds: its stdin, stdout and stderr; -1 = ours
 * Return: 0, or -1 when it could not be started.
 */
int trace_run(const struct plan *plan, char *const argv[], char *const envp[], const int fds[3],
	      struct trace *ret);
