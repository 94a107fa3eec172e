/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a command tells: rows that are collected while the store is locked, and printed when it is not,
 * so that a reader who pauses (a pager) does not keep pods from starting.
 */
#pragma once

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct rows {
	FILE *stream; /* one JSON object a line */
	char *text;
	size_t len;
};

struct column {
	const char *title, *key; /* what a person sees, and the key of the row's object */
	bool right; /* a number */
};

int rows_open(struct rows *rows, struct err *e);
void rows_done(struct rows *rows);
#define auto_rows __attribute__((cleanup(rows_done)))

/** rows_add() - append a row; takes over the object */
int rows_add(struct rows *rows, json_t *row, struct err *e);

/** rows_forget() - begin anew, when a transaction is run again */
void rows_forget(struct rows *rows);

/** rows_print() - print a table, or one JSON array, on stdout; @none says it when there are no rows */
int rows_print(struct rows *rows, const struct column *columns, size_t count, bool json,
	       const char *none);
