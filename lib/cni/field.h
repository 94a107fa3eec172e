/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One key of a JSON object, as the type that is wanted. conf.h and result.c stand on it: they differ
 * in the code that a wrong value has.
 *
 * Absent and null leave @ret untouched and return 0. A value that does not fit is an error with @code
 * which names the key (@where in front of it), the value, and what is wanted.
 */
#pragma once

#include "base/err.h"
#include "base/inet.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define FIELD_TEXT 96 /* as much of a value as goes into a message */

/* Where an object is, and the code of errors in it. */
struct field_of {
	json_t *obj; /* NULL = has no keys */
	const char *where; /* prefix of key names in messages: "", "ipam.", "ips[0]." */
	int code; /* enum cni_err */
};

/** field_text() - a value as compact JSON, cut to fit; returns @buf */
const char *field_text(const json_t *value, char buf[FIELD_TEXT]);

/** field_wrong() - fill the error of a value: "WHERE.KEY: VALUE is not WANTED" */
int field_wrong(const struct field_of *of, const char *key, const json_t *value, struct err *e,
		const char *wanted, ...) __attribute__((format(printf, 5, 6)));

int field_str(const struct field_of *of, const char *key, const char **ret, struct err *e);
int field_bool(const struct field_of *of, const char *key, bool *ret, struct err *e);
int field_u32(const struct field_of *of, const char *key, uint32_t min, uint32_t max, uint32_t *ret,
	      bool *ret_set, struct err *e);
int field_object(const struct field_of *of, const char *key, json_t **ret, struct err *e);
int field_array(const struct field_of *of, const char *key, json_t **ret, struct err *e);

/** field_copy() - a string that fits into @size bytes with its NUL */
int field_copy(const struct field_of *of, const char *key, char *ret, size_t size, struct err *e);

/** field_dup() - a string of its own, which the caller frees; "" counts as absent */
int field_dup(const struct field_of *of, const char *key, char **ret, struct err *e);

/** field_addr() - an address; "" counts as absent */
int field_addr(const struct field_of *of, const char *key, struct inet_addr *ret, struct err *e);

/** field_net() - "ADDRESS/LENGTH", which is required */
int field_net(const struct field_of *of, const char *key, struct inet_net *ret, struct err *e);
