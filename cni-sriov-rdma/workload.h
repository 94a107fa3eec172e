/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that tell a pod's workload which interfaces and RDMA devices it has ("rdma.workloadDir"): nccl.conf, which NCCL
 * reads by NCCL_CONF_FILE, and rdma.json.
 *
 * They are made from the records of all the pod's attachments that ask for them, anew with each that comes or goes,
 * so whatever the pod has made of them does not count.
 */
#pragma once

#include "record.h"

/**
 * workload_note() - note in a record, which is not yet written, where the files are
 * @template: see workload_path.h
 * Errors: code 4 when the call lacks what the template needs.
 */
int workload_note(const char *template, struct record *record, struct err *e);

/**
 * workload_write() - write the files, if a record notes them
 * @record: complete, and written
 *
 * A pod without that volume has no files, which is no error. Errors: code 5.
 */
int workload_write(int store, const struct record *record, struct err *e);

/**
 * workload_undo() - take an attachment out of the files, and remove them with the last
 * Afterwards the record is written without the note.
 *
 * What the pod has made unusable is a warning, and so is what fails again when it is asked for the second time: it must
 * not keep the VF. Errors: code 5.
 */
int workload_undo(int store, const struct record *record, struct err *e);

/** workload_describe() - rdma.json's content, a new reference; the records are put in order, "net2" before "net10" */
json_t *workload_describe(struct record *records, size_t count);

/**
 * workload_nccl() - nccl.conf's content, from that of rdma.json; the caller frees it
 *
 * Without a GID index as a rule: it is one for all devices, and NCCL finds the RoCE v2 GID of an IPv4 address itself. It
 * does not find those of IPv6 addresses, so a pod that has only these gets it, if it is the same for all.
 */
char *workload_nccl(json_t *description);
