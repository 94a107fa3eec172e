/* SPDX-License-Identifier: Apache-2.0 */
#include "release.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
		struct release_item *v = reallocarray(list->v, room, sizeof(*v));

		if (!v)
			return err_set(e, CNI_ERR_IO, ENOMEM, "list the leases to release");
		list->v = v;
		list->room = room;
	}
	list->v[list->count++] = (struct release_item){ lease->scope, lease->addr, lease->since };
	return 0;
}

int release_all(struct store *store, const struct release_list *list, struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < list->count; i++)
		r = store_release(store, list->v[i].scope, &list->v[i].addr, e);
	return r;
}

static bool has_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];
	struct stat st;

	if (!strncmp(path, "/proc/", 6)) /* the process is gone, and with it its directory */
		return true;
	return slash && snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path) < PATH_MAX &&
	       !stat(dir, &st);
}

enum lease_life release_is_gone(const struct lease *lease)
{
	struct stat st;

	if (!*lease->netns)
		return LEASE_UNKNOWN;
	if (stat(lease->netns, &st))
		return errno == ENOENT && has_directory(lease->netns) ? LEASE_GONE : LEASE_UNKNOWN;
	/* all namespaces are on one nsfs, so another device is no namespace at all */
	if (!lease->netns_ino || st.st_dev != lease->netns_dev)
		return LEASE_UNKNOWN;
	return st.st_ino == lease->netns_ino ? LEASE_ALIVE : LEASE_GONE;
}
