/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A check: one question about a pod, its answer, and the evidence for it.
 *
 * An answer without evidence is no pass. What could not be read or tried is said apart from what was read and is
 * wrong, as it has another remedy; both count as failed.
 */
#pragma once

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>

enum check_status {
	CHECK_UNREAD, /* nobody could tell, e.g. since an earlier check failed; the state it starts in */
	CHECK_PASS,
	CHECK_FAIL,
	CHECK_NOT_APPLICABLE, /* the question makes no sense here */
};

struct check {
	const char *id; /* what programs know it by */
	unsigned int area; /* which of a deployment's checks it belongs to: see enum check_area */
	enum check_status status;
	char device[64], bdf[32], ifname[16]; /* what it is about, "" = nothing */
	char expected[160], observed[256];
	char source[128]; /* where the observation is from: a file, or a call */
	char reason[512]; /* why it is not passed, and what to do about it */
	char warning[256]; /* passed, and yet */
	json_t *values; /* numbers, for programs; NULL = none */
};

/* The checks of a deployment that items belong to. */
enum check_area {
	AREA_DISCOVERY = 1,
	AREA_INTERFACES,
	AREA_RESOURCES,
	AREA_PLACEMENT,
	AREA_RUNTIME,
	AREA_CONNECTIVITY,
	AREA_PERFORMANCE,
};

/** check_area_name() - "interfaces" and so on */
const char *check_area_name(unsigned int area);

/** check_status_name() - "pass", "fail" (also what could not be read), "not applicable" */
const char *check_status_name(enum check_status status);

/** check_passed() - is it no reason to fail? */
bool check_passed(const struct check *c);

#define check_printf(n) __attribute__((format(printf, n, (n) + 1)))

/* The evidence. Text that is too long is cut. */
void check_wants(struct check *c, const char *fmt, ...) check_printf(2);
void check_saw(struct check *c, const char *fmt, ...) check_printf(2);
void check_from(struct check *c, const char *fmt, ...) check_printf(2);

/* The answer; each may be given once. */
void check_pass(struct check *c);
void check_warn(struct check *c, const char *fmt, ...) check_printf(2); /* a pass, too */
void check_fail(struct check *c, const char *fmt, ...) check_printf(2);
void check_unread(struct check *c, const char *fmt, ...) check_printf(2);
void check_not_applicable(struct check *c, const char *fmt, ...) check_printf(2);

/** check_fail_err() - failed by an error: its message and its remedy */
void check_fail_err(struct check *c, const struct err *e);
