/* SPDX-License-Identifier: Apache-2.0 */
/* Which system calls can fail in a way that matters, and what they are about. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum call_class {
	CALL_CHANGE =
		1 << 0, /* changes the kernel's state or the disk; and setns, which changes ours */
	CALL_RESOURCE = 1 << 1, /* takes a descriptor, memory, a lock, a process */
	CALL_READ = 1 << 2, /* asks the kernel: a netlink request that only reads */
};

struct call {
	pid_t pid;
	int nr;
	uint64_t args[6];
};

/* A place at which a fault can be put. */
struct point {
	unsigned int number; /* from 1, in the order of time over all processes */
	enum call_class class;
	bool is_delegate; /* made by a process that the traced program started */
	bool is_netlink;
	char call[16];
	char object[200];
};

/** call_describe() - is this call, at its entry, a point? Fills all but number and is_delegate. */
bool call_describe(const struct call *call, struct point *ret);

/** call_numbers() - the system calls of which some can be points, for a filter; those that receive, too */
size_t call_numbers(int *ret, size_t max);

/** call_receives() - is it recvmsg or recvfrom? */
bool call_receives(const struct call *call);

/** call_buffer() - where the data of a send or receive are in the task's memory: their first part */
bool call_buffer(const struct call *call, uint64_t *ret_at, size_t *ret_len);

/** call_peeks() - a receive that leaves the data where they are */
bool call_peeks(const struct call *call);

/** call_errors() - the errors that are plausible at a point, the likeliest first; ends with 0 */
const int *call_errors(const struct point *point);

/** task_read(), task_write() - a stopped task's memory; false if not all of it could be moved */
bool task_read(pid_t pid, uint64_t at, void *buf, size_t len);
bool task_write(pid_t pid, uint64_t at, const void *buf, size_t len);
