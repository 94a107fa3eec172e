/* SPDX-License-Identifier: Apache-2.0 */
#include "attachments.h"

#include "base/cleanup.h"
#include "way_back.h"

#include <errno.h>

enum attachment_life attachment_life(const struct record *record)
{
	char boot[BOOT_ID_SIZE];
	struct err ignored;
	int ns;

	if (!boot_id(boot, &ignored) && !record_is_of_boot(record, boot))
		return ATTACHMENT_EARLIER_BOOT;
	ns = way_back_pod_ns(record);
	if (ns < 0)
		return ATTACHMENT_NETNS_GONE;
	close(ns);
	return ATTACHMENT_ALIVE;
}

const char *attachment_life_name(enum attachment_life life)
{
	switch (life) {
	case ATTACHMENT_ALIVE:
		return "alive";
	case ATTACHMENT_NETNS_GONE:
		return "gone";
	case ATTACHMENT_EARLIER_BOOT:
		return "earlier boot";
	}
	return "?";
}

int attachment_undo(int store, const char *bdf,
		    bool (*still)(const struct record *record, const void *arg), const void *arg,
		    bool *ret_done, struct err *e)
{
	auto_close int sysfs = sysfs_open("/sys", e), lock = -1;
	auto_record struct record record = { 0 };
	int r;

	*ret_done = false;
	if (sysfs < 0)
		return sysfs;
	if (sysfs_pci_exists(sysfs,
			     bdf)) { /* without the VF there is nothing that two could fight for */
		lock = sysfs_pci_lock(sysfs, bdf, VF_LOCK_MS, e);
		if (lock < 0)
			return lock;
	}
	r = record_load(store, bdf, &record, e);
	if (r == -ENOENT || (!r && still && !still(&record, arg)))
		return 0;
	if (r)
		return r;
	*ret_done = true;
	return way_back(NULL, store, &record, e);
}
