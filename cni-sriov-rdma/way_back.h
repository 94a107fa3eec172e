/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way back: from a record to the state before the attachment.
 *
 * A failed ADD, DEL, GC, repair and an ADD that finds a dead holder all go this way, so it is exercised on
 * every teardown. It can be asked again after an interruption anywhere; the record goes last.
 */
#pragma once

#include "record.h"
#include "vf/site.h"

#define VF_LOCK_MS 30000 /* longer than any other verb on the same VF takes */

/**
 * way_back() - undo an attachment and drop its record; the VF's lock is held by the caller
 * @site: as ADD has it; NULL: opened here, with the record's namespace if that still lives
 *
 * Goes on past what fails and reports the first error; then the record stays, for the next try. A VF that is
 * gone, or of an earlier boot, has nothing to restore. One that is in no namespace that can be reached is not
 * an error for the caller, who could only ask again for ever: its record stays, for the next ADD of it or for
 * repair, when it has come home.
 */
int way_back(struct vf_site *site, int store, const struct record *record, struct err *e);

/** way_back_pod_ns() - the namespace that a record means, if it still lives: a descriptor, or -1 */
int way_back_pod_ns(const struct record *record);
