/* SPDX-License-Identifier: Apache-2.0 */
/* What was checked, where and when: for people and for programs. */
#pragma once

#include "base/boot.h"
#include "check.h"

#include <stdint.h>
#include <stdio.h>

/* Which machine, which kernel, which program, when. */
struct about {
	const char *mode; /* "local", "server", "client" */
	const char *pod; /* "" = not told */
	char netns[256]; /* how the namespace was named; "" = the own one */
	uint64_t netns_inode;
	char node[65];
	char kernel[65];
	char boot[BOOT_ID_SIZE]; /* "" = could not be read */
	char time[32]; /* UTC, RFC 3339 */
};

/** about_now() - fill in what the machine tells: node, kernel, boot id, time */
void about_now(struct about *ret);

struct report {
	struct about about;
	struct check *checks;
	size_t count;
};

/**
 * report_add() - begin a check
 * Return: it stays valid until the next report_add(). When memory is short the program ends (exit status 2).
 */
struct check *report_add(struct report *r, const char *id, unsigned int area);

void report_done(struct report *r);

/** report_passed() - was something checked, and has nothing failed? */
bool report_passed(const struct report *r);

/** report_to_json() - a new reference, NULL when memory is short */
json_t *report_to_json(const struct report *r);

/** report_print() - for people */
void report_print(const struct report *r, FILE *out);
