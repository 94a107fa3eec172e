/* SPDX-License-Identifier: Apache-2.0 */
/* DEL: load the record, go the way back. No record: there is nothing to undo, which is success. */
#include "verbs.h"

#include "attachments.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "conf.h"
#include "ipam.h"
#include "legacy_undo.h"
#include "record.h"
#include "way_back.h"

#include <errno.h>
#include <string.h>

/*
 * The attachment's record: most often that of the device which the configuration names. Runtimes lose parts of
 * a configuration between ADD and DEL (Multus with conflists without cniVersion), so look at all otherwise.
 */
static int find_record(const struct cni_call *call, const char *bdf, int store, struct record *ret,
		       struct err *e)
{
	int r = *bdf ? record_load(store, bdf, ret, e) : -ENOENT;

	if (r && r != -ENOENT)
		return r;
	if (!r && record_is_owner(ret, call->conf.name, &call->env))
		return 0;
	if (!r)
		record_done(ret);
	return record_find(store, call->conf.name, &call->env, ret, e);
}

/* Whose a damaged record is, nobody knows; but a VF in this container's namespace is this container's. */
static int undo_damaged(const struct cni_call *call, const char *bdf, int store, bool rdma_only,
			struct err *e)
{
	auto_close int sysfs = sysfs_open("/sys", e), lock = -1;
	struct record mended = { 0 };
	int r;

	if (sysfs < 0)
		return sysfs;
	lock = sysfs_pci_lock(sysfs, bdf, VF_LOCK_MS, e);
	if (lock < 0 && lock != -ENOENT)
		return lock;
	r = record_load(store, bdf, &mended, e);
	if (r == -EBADMSG)
		return way_back_without_record(store, bdf, call->env.netns, rdma_only, e);
	/* another call was faster */
	if (!r && record_is_owner(&mended, call->conf.name, &call->env))
		r = way_back(NULL, store, &mended, e);
	else if (r == -ENOENT)
		r = 0;
	record_done(&mended);
	return r;
}

/* Another DEL, or a new owner's ADD, may have been faster: so it is asked again under the VF's lock. */
static int is_of_call(const struct record *record, const void *arg, struct err *e)
{
	const struct cni_call *call = arg;

	(void)e;
	return record_is_owner(record, call->conf.name, &call->env);
}

int attach_del(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	auto_record struct record found = { 0 };
	struct attach_conf conf;
	auto_close int store = -1;
	char bdf[PCI_ADDR_MAX] = "";
	bool done = false;
	int r;

	(void)ret_output;
	r = attach_conf_parse_store(call, &conf, e);
	if (r)
		return r;
	log_open("cni-sriov-rdma", conf.log_level, conf.log_file);
	store = record_store_open_named(conf.data_dir, conf.records, false, e);
	if (store < 0 && store != -ENOENT)
		return store;
	pci_addr_parse(conf.device_id, bdf);
	r = store < 0 ? -ENOENT : find_record(call, bdf, store, &found, e);
	if (r == -EBADMSG)
		r = undo_damaged(call, bdf, store, conf.name == NAME_RDMA, e);
	else if (!r)
		r = attachment_undo(store, &found, is_of_call, call, &done, e);
	else if (r == -ENOENT)
		r = 0;
	if (!r && !done)
		r = legacy_undo(call, &conf, e);
	if (r)
		return r;
	/* an attachment whose record is damaged may still have an address */
	return done ? 0 : ipam_forward(call, e);
}
