/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way back: from a record to the state before the attachment.
 *
 * A failed ADD, DEL, GC, repair and an ADD that finds a dead holder all go this way, so it is exercised on
 * every teardown. It can be asked again after an interruption anywhere; the record goes last.
 */
#pragma once

#include "record.h"
#include "vf/converge.h"
#include "vf/site.h"

#define VF_LOCK_MS (RDMA_LOCK_MS + 30000) /* longer than any other verb on the same VF takes */

/**
 * way_back() - undo an attachment and drop its record; the VF's lock is held by the caller
 * @site: as ADD has it; NULL: opened here, with the record's namespace if that still lives
 *
 * Goes on past what fails and reports the first error; then the record stays, for the next try. As long as the pod has
 * the VF, or nobody knows whether it has, its addresses are kept, as another pod must not get them. A VF that is gone,
 * or of an earlier boot, has nothing to restore. One that is in no namespace that can be reached is not an error for the
 * caller, who could only ask again for ever: its record stays, for the next ADD of it or for repair, when it has come home.
 */
int way_back(struct vf_site *site, int store, const struct record *record, struct err *e);

/**
 * way_back_undo() - the same for what has no record of ours, and is known to be of this boot
 * @record: of what a record has, root, boot and result may be missing
 * @ret_lost: the VF is in no namespace that can be reached
 */
int way_back_undo(const struct record *record, bool *ret_lost, struct err *e);

/** way_back_pod_lives() - does the namespace that a record means still live? 1, 0, or the error that keeps it in doubt */
int way_back_pod_lives(const struct record *record, struct err *e);

/**
 * way_back_without_record() - bring a VF home whose record is damaged, if it is in the container that says so
 * @netns: where the runtime says the container is; nothing is done if that is gone, or the VF is not in it: then
 *         it is home already, or another's. The VF's next ADD, or repair, sets the record aside.
 * @rdma_only: it is only the RDMA device that was attached, and comes home; the interface is another plugin's
 *
 * What was before is lost: the interface gets a name as udev would give it, is down, and its devices are the host's.
 * The PF's settings stay as they are, for nobody knows whether they were the administrator's.
 */
int way_back_without_record(int store, const char *bdf, const char *netns, bool rdma_only,
			    struct err *e);
