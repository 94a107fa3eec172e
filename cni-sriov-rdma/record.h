/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record of an attachment: all that the way back needs, written before the first change.
 *
 * One JSON file a VF, named by its PCI address, so that a VF belongs to one attachment by construction, and
 * nothing that a caller chose becomes part of a path. A record is replaced and removed only under its VF's
 * lock (sysfs_pci_lock()), and by rename, so that whoever reads sees a whole one.
 */
#pragma once

#include "base/boot.h"
#include "cni/plugin.h"
#include "kernel/netns.h"
#include "kernel/sysfs.h"
#include "vf/state.h"
#include "vf/vf.h"

#include <jansson.h>
#include <stdint.h>

/* Strings and JSON are borrowed from @root. */
struct record {
	char *text; /* as it was read; NULL when it was not */
	json_t *root;
	char bdf[PCI_ADDR_MAX];
	const char *pf; /* the PF's interface, for people */
	const char *boot; /* of another boot, it describes a kernel that is gone */
	int64_t since; /* when it was made, seconds since the epoch */
	struct cni_env
		env; /* the call's parameters: network namespace, container, CNI_ARGS, CNI_PATH */
	const char *network;
	struct netns_id netns_id;
	json_t *conf; /* the network configuration, which IPAM DEL needs */
	json_t *result; /* what ADD returned, in the newest shape; NULL while ADD is not done */
	struct vf_state before, want;
};

/** record_new() - make the record of an attachment that begins; record_done() frees it */
int record_new(const struct cni_call *call, const struct vf *vf, const struct netns_id *netns,
	       const struct vf_state *before, const struct vf_state *want, struct record *ret,
	       struct err *e);
void record_done(struct record *r);
#define auto_record __attribute__((cleanup(record_done)))

/** record_parse() - a record from its document, which is taken over, also on failure (-EBADMSG, code 5) */
int record_parse(json_t *root, const char *bdf, struct record *ret, struct err *e);

/** record_set_result() - keep what ADD returns; takes its own reference */
int record_set_result(struct record *r, json_t *result, struct err *e);

/** record_leave_rdma() - the attachment goes on without the RDMA device: it is not wanted in the pod any more */
void record_leave_rdma(struct record *r);

/** record_is_owner() - is it this container's, this interface's, this network's? */
bool record_is_owner(const struct record *r, const char *network, const struct cni_env *env);

/** record_is_of_boot() - does it describe this boot's kernel? */
bool record_is_of_boot(const struct record *r, const char *boot);

/** record_pod() - cni_env_pod(), or the container id; returns @buf */
const char *record_pod(const struct record *r, char *buf, size_t size);

/**
 * record_store_open() - open the directory of records
 * @data_dir: the plugin's state directory
 * @make: create what is missing, 0700
 * Return: a descriptor; -ENOENT when it is not there and not to be made; code 5.
 */
int record_store_open(const char *data_dir, bool make, struct err *e);

/*
 * A VF has two records when its interface and its RDMA device were attached by two plugins of a chain. So what the
 * name rdma records lies beside the others.
 */
#define RECORDS	     "attachments"
#define RECORDS_RDMA "rdma"

/** record_store_open_named() - the same for one of the two directories of records */
int record_store_open_named(const char *data_dir, const char *records, bool make, struct err *e);

/** record_save() - write a record; code 5 */
int record_save(int store, const struct record *r, struct err *e);

/**
 * record_load() - read the record of a VF
 * Return: 0; -ENOENT when there is none (@e is not filled); -EBADMSG when it is damaged: empty, cut off, of
 * another version, a directory (code 5).
 */
int record_load(int store, const char *bdf, struct record *ret, struct err *e);

/**
 * record_is_lost() - is there nothing, or nothing any more, that a record says?
 * @r: what record_load() returned. After any other error, such as -EMFILE, it may be all right.
 */
bool record_is_lost(int r);

/**
 * record_load_again() - read the record of r->bdf once more, for one that was loaded without the VF's lock
 * @r: in and out; the address alone will do
 *
 * What has not changed is not parsed again. Return as record_load(); then nothing but the address is left in @r.
 */
int record_load_again(int store, struct record *r, struct err *e);

/** record_find() - the record of an attachment, by a look at all; return as record_load() */
int record_find(int store, const char *network, const struct cni_env *env, struct record *ret,
		struct err *e);

/** record_list() - the PCI addresses that have a record, sorted; an array that the caller frees */
int record_list(int store, char (**ret)[PCI_ADDR_MAX], size_t *ret_count, struct err *e);

/** record_drop() - remove a VF's record; code 5 */
int record_drop(int store, const char *bdf, struct err *e);

/** record_set_aside() - rename a damaged record to BDF.damaged, where people can look at it */
int record_set_aside(int store, const char *bdf, struct err *e);
