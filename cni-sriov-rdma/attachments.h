/* SPDX-License-Identifier: Apache-2.0 */
/* All attachments of the node: for GC, and for people who list and repair them. */
#pragma once

#include "record.h"

/* Does the network namespace of an attachment still live? */
enum attachment_life {
	ATTACHMENT_ALIVE,
	ATTACHMENT_NETNS_GONE,
	ATTACHMENT_EARLIER_BOOT,
};

enum attachment_life attachment_life(const struct record *record);

/** attachment_life_name() - "alive", "gone", "earlier boot" */
const char *attachment_life_name(enum attachment_life life);

/**
 * attachment_undo() - go the way back of one record, under its VF's lock
 * @bdf: the VF; its record is read under the lock
 * @still: asked with the record, then: is it still to be undone? NULL = yes
 * @ret_done: false when there is no record any more, or @still said no
 *
 * Errors: as way_back(); -EBADMSG for a damaged record.
 */
int attachment_undo(int store, const char *bdf,
		    bool (*still)(const struct record *record, const void *arg), const void *arg,
		    bool *ret_done, struct err *e);
