/* SPDX-License-Identifier: Apache-2.0 */
/* GC: DEL for each record of this network that is not listed as valid (specification 1.1.0, section 2). */
#include "verbs.h"

#include "attachments.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "conf.h"
#include "ipam.h"

#include <errno.h>
#include <string.h>

struct valid {
	const char *network;
	struct cni_attachment *list;
	size_t count;
};

static int is_stale(const struct record *record, const void *arg, struct err *e)
{
	const struct valid *valid = arg;

	(void)e;
	return !strcmp(record->network, valid->network) &&
	       !cni_attachment_is_valid(valid->list, valid->count, record->env.container_id,
					record->env.ifname);
}

/* Goes on after an error, and reports the first at the end. */
static int undo_stale(int store, const struct valid *valid, struct err *e)
{
	auto_free char(*list)[PCI_ADDR_MAX] = NULL;
	struct err first = { 0 }, err;
	size_t count;
	int r = record_list(store, &list, &count, e);

	if (r)
		return r;
	for (size_t i = 0; i < count; i++) {
		auto_record struct record record = { 0 };
		bool done;

		memcpy(record.bdf, list[i], sizeof(record.bdf));
		r = attachment_undo(store, &record, is_stale, valid, &done, &err);
		if (r &&
		    r != -EBADMSG) /* whose a damaged one is, nobody knows: the VF's next ADD sees to it */
			err_keep_first(&first, &err);
		else if (!r && done)
			log_info("GC: VF %s is back home", list[i]);
	}
	return err_return(&first, e);
}

int attach_gc(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	struct valid valid = { .network = call->conf.name };
	struct attach_conf conf;
	auto_close int store = -1;
	struct err ipam;
	bool given;
	int r;

	(void)ret_output;
	r = attach_conf_parse_store(call, &conf, e);
	if (r)
		return r;
	log_open("cni-sriov-rdma", conf.log_level, conf.log_file);
	r = cni_conf_valid_attachments(&call->conf, &valid.list, &valid.count, &given, e);
	if (r)
		return r;
	if (given) {
		store = record_store_open_named(conf.data_dir, conf.records, false, e);
		r = store == -ENOENT ? 0 : store < 0 ? store : undo_stale(store, &valid, e);
	}
	free(valid.list);
	if (ipam_forward(call, &ipam) && !r)
		r = err_return(&ipam, e);
	return r;
}
