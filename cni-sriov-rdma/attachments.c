/* SPDX-License-Identifier: Apache-2.0 */
#include "attachments.h"

#include "base/cleanup.h"
#include "base/lock.h"
#include "way_back.h"

#include <errno.h>
#include <string.h>

#define STORE_LOCK_MS 10000

int attachment_life(const struct record *record, enum attachment_life *ret, struct err *e)
{
	char boot[BOOT_ID_SIZE];
	int r = boot_id(boot, e);

	*ret = ATTACHMENT_UNKNOWN;
	if (r)
		return r;
	if (!record_is_of_boot(record, boot)) {
		*ret = ATTACHMENT_EARLIER_BOOT;
		return 0;
	}
	r = way_back_pod_lives(record, e);
	if (r < 0)
		return r;
	*ret = r ? ATTACHMENT_ALIVE : ATTACHMENT_NETNS_GONE;
	return 0;
}

const char *attachment_life_name(enum attachment_life life)
{
	switch (life) {
	case ATTACHMENT_UNKNOWN:
		return "unknown";
	case ATTACHMENT_ALIVE:
		return "alive";
	case ATTACHMENT_NETNS_GONE:
		return "gone";
	case ATTACHMENT_EARLIER_BOOT:
		return "earlier boot";
	}
	return "?";
}

int attachment_undo(int store, struct record *record, attachment_still_fn *still, const void *arg,
		    bool *ret_done, struct err *e)
{
	auto_close int sysfs = sysfs_open("/sys", e), lock = -1;
	int r;

	*ret_done = false;
	if (sysfs < 0)
		return sysfs;
	lock = sysfs_pci_lock(sysfs, record->bdf, VF_LOCK_MS, e);
	/* without the VF there is nothing that two could fight for */
	if (lock < 0 && lock != -ENOENT)
		return lock;
	r = record_load_again(store, record, e);
	if (r)
		return r == -ENOENT ? 0 : r;
	r = still ? still(record, arg, e) : 1;
	if (r <= 0)
		return r;
	*ret_done = true;
	return way_back(NULL, store, record, e);
}

void siblings_done(struct siblings *s)
{
	for (size_t i = 0; s->list && i < s->count; i++)
		record_done(&s->list[i]);
	free(s->list);
	*s = (struct siblings){ 0 };
}

void siblings_drop(struct siblings *s, const char *bdf)
{
	for (size_t i = 0; i < s->count; i++)
		if (!strcmp(s->list[i].bdf, bdf)) {
			record_done(&s->list[i]);
			s->list[i] = s->list[--s->count];
			return;
		}
}

int attachments_select(int store, bool (*fn)(const struct record *record, const void *arg),
		       const void *arg, struct siblings *ret, struct err *e)
{
	auto_free char(*vfs)[PCI_ADDR_MAX] = NULL;
	auto_siblings struct siblings found = { 0 };
	size_t count;
	int r = record_list(store, &vfs, &count, e);

	if (r)
		return r;
	for (size_t i = 0; i < count; i++) {
		auto_record struct record one = { 0 };
		void *grown;

		r = record_load(store, vfs[i], &one, e);
		if (r && !record_is_lost(r))
			return r;
		if (r || !fn(&one, arg))
			continue;
		grown = reallocarray(found.list, found.count + 1, sizeof(*found.list));
		if (!grown)
			return err_set(e, CNI_ERR_IO, ENOMEM, "look at the node's attachments");
		found.list = grown;
		found.list[found.count++] = one;
		one = (struct record){ 0 };
	}
	ret->count = found.count;
	ret->list = take_ptr(found.list);
	return 0;
}

/* The container as well: the inode number of a dead namespace may be a new one's. */
static bool is_sibling(const struct record *r, const void *arg)
{
	const struct record *of = arg;

	return strcmp(r->bdf, of->bdf) != 0 && record_is_of_boot(r, of->boot) &&
	       netns_id_equal(&r->netns_id, &of->netns_id) &&
	       !strcmp(r->env.container_id, of->env.container_id);
}

int attachment_siblings(int store, const struct record *of, struct siblings *ret, struct err *e)
{
	return attachments_select(store, is_sibling, of, ret, e);
}

int attachments_lock(int store, struct err *e)
{
	return lock_take_dir(store, ".", STORE_LOCK_MS, e);
}
