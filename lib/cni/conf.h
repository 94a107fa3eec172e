/* SPDX-License-Identifier: Apache-2.0 */
/* The envelope of a network configuration, as it arrives on stdin (specification 1.1.0, section 1). */
#pragma once

#include "base/err.h"
#include "cni/env.h"
#include "cni/version.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Everything but @root is borrowed from @root. */
struct cni_conf {
	json_t *root; /* NULL only for VERSION with nothing on stdin */
	enum cni_version version;
	const char *name; /* network name; "" only for VERSION */
	const char *type; /* "" when absent */
	json_t *ipam; /* object with a type, or NULL: absent, null and {} mean no IPAM */
	json_t *runtime; /* runtimeConfig, NULL when absent */
	json_t *args_cni; /* args.cni, NULL when absent */
	json_t *prev_result; /* NULL when absent or null */
};

/**
 * cni_conf_read() - read a configuration from a descriptor and check its envelope
 * @fd: read to its end, up to 4 MiB
 * @verb: says what is required: a name for all but VERSION, cniVersion ≥ 0.4.0 for CHECK and ≥ 1.1.0
 *        for GC and STATUS (code 1)
 *
 * Errors: 5 reading, 6 bad JSON (with line and column) or a type that does not fit, 7 name, 1 version.
 * cni_conf_done() frees it.
 */
int cni_conf_read(int fd, enum cni_verb verb, struct cni_conf *ret, struct err *e);

/** cni_conf_parse() - the same from text; @text need not be NUL-terminated */
int cni_conf_parse(const char *text, size_t len, enum cni_verb verb, struct cni_conf *ret,
		   struct err *e);

/*
 * cni_conf_read() in two steps, for whoever needs the document even if its envelope is bad: an error
 * is told in the version of the request.
 *
 * cni_conf_load() gives a new reference, NULL for empty input; cni_conf_check() takes its own.
 */
int cni_conf_load(int fd, json_t **ret_root, struct err *e);
int cni_conf_check(json_t *root, enum cni_verb verb, struct cni_conf *ret, struct err *e);

void cni_conf_done(struct cni_conf *conf);
#define auto_cni_conf __attribute__((cleanup(cni_conf_done)))

/*
 * Typed access to one key. Absent and null leave @ret untouched and return 0. A value of another
 * type, or out of its bounds, is code 7 with the key's full name (@where is its prefix, e.g.
 * "ipam."), its value, and what is allowed.
 */
int cni_json_str(json_t *obj, const char *where, const char *key, const char **ret, struct err *e);
int cni_json_bool(json_t *obj, const char *where, const char *key, bool *ret, struct err *e);
int cni_json_u32(json_t *obj, const char *where, const char *key, uint32_t min, uint32_t max,
		 uint32_t *ret, bool *ret_set, struct err *e);
int cni_json_object(json_t *obj, const char *where, const char *key, json_t **ret, struct err *e);
int cni_json_array(json_t *obj, const char *where, const char *key, json_t **ret, struct err *e);

/* One attachment that GC must keep. */
struct cni_attachment {
	const char *container_id;
	const char *ifname;
};

/**
 * cni_conf_valid_attachments() - what GC is told to keep
 * @ret: array that the caller frees; its strings belong to @conf
 * @ret_count: its length; 0 means that all of this network's attachments are stale
 * @ret_given: false when neither cni.dev/valid-attachments nor cni.dev/attachments is there, or
 *             both are null: then nothing is to be released
 */
int cni_conf_valid_attachments(const struct cni_conf *conf, struct cni_attachment **ret,
			       size_t *ret_count, bool *ret_given, struct err *e);

/** cni_attachment_is_valid() - is the attachment in the list? */
bool cni_attachment_is_valid(const struct cni_attachment *list, size_t count,
			     const char *container_id, const char *ifname);
