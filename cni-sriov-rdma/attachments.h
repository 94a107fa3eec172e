/* SPDX-License-Identifier: Apache-2.0 */
/* All attachments of the node: for GC, and for people who list and repair them. */
#pragma once

#include "record.h"

/* Does the network namespace of an attachment still live? */
enum attachment_life {
	ATTACHMENT_UNKNOWN,
	ATTACHMENT_ALIVE,
	ATTACHMENT_NETNS_GONE,
	ATTACHMENT_EARLIER_BOOT,
};

/** attachment_life() - Return: 0, or the error that keeps it unknown */
int attachment_life(const struct record *record, enum attachment_life *ret, struct err *e);

/** attachment_life_name() - "alive", "gone", "earlier boot", "unknown" */
const char *attachment_life_name(enum attachment_life life);

/* Is what a record says still to be undone? 1, 0, or an error. */
typedef int attachment_still_fn(const struct record *record, const void *arg, struct err *e);

/**
 * attachment_undo() - go the way back of one record, under its VF's lock
 * @record: one that was found without the lock, or with an address alone; read again under it
 * @still: asked with the record, then; NULL = yes
 * @ret_done: false when there is no record any more, or @still said no
 *
 * Errors: as way_back(); -EBADMSG for a damaged record.
 */
int attachment_undo(int store, struct record *record, attachment_still_fn *still, const void *arg,
		    bool *ret_done, struct err *e);

/* Several attachments, such as the others of a pod. */
struct siblings {
	struct record *list;
	size_t count;
};

/**
 * attachment_siblings() - the records of the other attachments of a pod that lives
 * @of: one of them: the same container in the same network namespace, in the same boot
 *
 * One that is damaged is left out. siblings_done() frees them.
 */
int attachment_siblings(int store, const struct record *of, struct siblings *ret, struct err *e);
void siblings_done(struct siblings *s);
#define auto_siblings __attribute__((cleanup(siblings_done)))

/**
 * attachments_select() - the records that @fn wants; those that are damaged are left out
 */
int attachments_select(int store, bool (*fn)(const struct record *record, const void *arg),
		       const void *arg, struct siblings *ret, struct err *e);

/** siblings_drop() - without the one of a VF */
void siblings_drop(struct siblings *s, const char *bdf);

/**
 * attachments_lock() - lock what attachments of one pod share, while records are compared and one is written
 * Taken after the VF's lock, and held for moments. Return: as lock_take().
 */
int attachments_lock(int store, struct err *e);
