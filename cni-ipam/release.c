/* SPDX-License-Identifier: Apache-2.0 */
#include "release.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

void release_done(struct release *release)
{
	free(release->list.v);
}

int release_collect(const struct lease *lease, void *arg, struct err *e)
{
	struct release_list *list = arg;

	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 16;
		void *v = reallocarray(list->v, room, sizeof(*list->v));

		if (!v)
			return err_set(e, CNI_ERR_IO, ENOMEM, "list the leases to release");
		list->v = v;
		list->room = room;
	}
	list->v[list->count].scope = lease->scope;
	list->v[list->count].addr = lease->addr;
	list->count++;
	return 0;
}

int release_all(struct store *store, const struct release_list *list, struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < list->count; i++)
		r = store_release(store, list->v[i].scope, &list->v[i].addr, e);
	return r;
}

enum lease_life release_is_gone(const struct lease *lease)
{
	struct stat st;

	if (!*lease->netns)
		return LEASE_UNKNOWN;
	if (stat(lease->netns, &st))
		return errno == ENOENT || errno == ENOTDIR ? LEASE_GONE : LEASE_UNKNOWN;
	if (!lease->netns_ino)
		return LEASE_UNKNOWN;
	/* the file under an unmounted namespace is another inode, and so is a namespace made anew */
	return st.st_dev == lease->netns_dev && st.st_ino == lease->netns_ino ? LEASE_ALIVE
									      : LEASE_GONE;
}
