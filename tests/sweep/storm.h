/* SPDX-License-Identifier: Apache-2.0 */
/* The storm's processes: what they share, and what each says of it. See storm.c. */
#pragma once

#include "plugin.h"

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>

#define PODS_MAX 64
#define VFS_MAX	 64
#define LIMIT_S	 200 /* more than all the locks' deadlines in a row */
#define AGAIN	 11 /* CNI: try again later */

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

/** violation() - say, and count, what must never be */
void violation(struct storm *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void count(struct storm *s, enum event event);

/** storm_expect_end() - a verb has ended in time, and has said what a verb may say */
void storm_expect_end(struct storm *s, const char *who, const char *verb, const struct said *said);

/** storm_error_code() - the code of the error that was said, 0 = none */
int storm_error_code(const struct said *said);

/** storm_be_pod() - a pod's life, again and again until the board says stop */
void storm_be_pod(struct storm *s, unsigned int number);
