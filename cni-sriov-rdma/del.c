/* SPDX-License-Identifier: Apache-2.0 */
/* DEL: load the record, go the way back. No record: there is nothing to undo, which is success. */
#include "verbs.h"

#include "attachments.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "conf.h"
#include "ipam.h"
#include "record.h"

#include <errno.h>
#include <string.h>

/*
 * The attachment's record: most often that of the device which the configuration names. Runtimes lose parts of
 * a configuration between ADD and DEL (Multus with conflists without cniVersion), so look at all otherwise.
 */
static int find_record(const struct cni_call *call, const struct attach_conf *conf, int store,
		       struct record *ret, struct err *e)
{
	char bdf[PCI_ADDR_MAX];
	struct err ignored;

	if (!pci_addr_parse(conf->device_id, bdf) && !record_load(store, bdf, ret, &ignored)) {
		if (record_is_owner(ret, call->conf.name, &call->env))
			return 0;
		record_done(ret);
	}
	return record_find(store, call->conf.name, &call->env, ret, e);
}

/* Another DEL, or a new owner's ADD, may have been faster: so it is asked again under the VF's lock. */
static bool is_of_call(const struct record *record, const void *arg)
{
	const struct cni_call *call = arg;

	return record_is_owner(record, call->conf.name, &call->env);
}

int attach_del(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	auto_record struct record found = { 0 };
	struct attach_conf conf;
	auto_close int store = -1;
	bool done = false;
	int r;

	(void)ret_output;
	r = attach_conf_parse_store(call, &conf, e);
	if (r)
		return r;
	log_open("cni-sriov-rdma", conf.log_level, conf.log_file);
	store = record_store_open(conf.data_dir, false, e);
	if (store < 0 && store != -ENOENT)
		return store;
	r = store < 0 ? -ENOENT : find_record(call, &conf, store, &found, e);
	if (!r)
		r = attachment_undo(store, found.bdf, is_of_call, call, &done, e);
	if (r && r != -ENOENT)
		return r;
	/* an attachment whose record is damaged may still have an address */
	return done ? 0 : ipam_forward(call, e);
}
