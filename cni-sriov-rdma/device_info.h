/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device-info file of the Network Plumbing WG (device-info specification 1.1.0), by which Multus tells a pod which
 * devices an attachment has. Multus may have put the device plugin's there, in which the RDMA device's name is that
 * from before the move.
 */
#pragma once

#include "record.h"

/**
 * device_info_note() - note in a record, which is not yet written, the file and what is in it
 * @path: absolute
 * Errors: code 5.
 */
int device_info_note(const char *path, struct record *record, struct err *e);

/**
 * device_info_write() - write or correct the file that a record notes, if any
 * Its directory is made, 0755, when it is missing. Errors: code 5.
 */
int device_info_write(const struct record *record, const struct vf *vf, const struct vf_state *now,
		      struct err *e);

/** device_info_restore() - put back what a record notes, or take the file away; one that is gone stays so */
int device_info_restore(const struct record *record, struct err *e);
