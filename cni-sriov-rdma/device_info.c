/* SPDX-License-Identifier: Apache-2.0 */
#include "device_info.h"

#include "base/cleanup.h"
#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define LIMIT (64 << 10) /* bytes */
#define MODE  0444 /* as the device plugin writes it */

static int failed(struct err *e, int r, const char *what, const char *path)
{
	return err_set(e, CNI_ERR_IO, r, "%s the device-info file %s", what, path);
}

/* Open the directory of a file, and point at the file's name. */
static int open_parent(const char *path, bool make, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];

	if (!slash || slash == path || !slash[1])
		return -EINVAL;
	snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
	*ret_name = slash + 1;
	return dir_open_mode(dir, make, 0755);
}

int device_info_note(const char *path, struct record *record, struct err *e)
{
	auto_free char *text = NULL;
	auto_close int dir = -1;
	const char *name = "";
	json_t *note;
	int r = dir = open_parent(path, false, &name);

	if (r >= 0)
		r = file_read(dir, name, LIMIT, &text, NULL);
	if (r && r != -ENOENT)
		return failed(e, r, "read", path);
	note = json_pack("{s:s, s:s?}", "path", path, "before", text);
	if (!note || json_object_set_new(record->root, "deviceInfo", note))
		return failed(e, EINVAL, "note", path); /* it is not UTF-8 */
	return 0;
}

static bool noted(const struct record *record, const char **ret_path, const char **ret_before)
{
	json_t *note = json_object_get(record->root, "deviceInfo");

	*ret_path = json_string_value(json_object_get(note, "path"));
	*ret_before = json_string_value(json_object_get(note, "before"));
	return *ret_path;
}

/* What the device plugin has told stays, but for what is known better here. */
static char *describe(const char *before, const struct vf *vf, const struct vf_state *now)
{
	json_auto_t *info = before ? json_loads(before, 0, NULL) : NULL;
	json_t *pci;

	if (!json_is_object(info)) {
		json_decref(info);
		info = json_pack("{s:s, s:s}", "type", "pci", "version", "1.1.0");
	}
	pci = json_object_get(info, "pci");
	if (!json_is_object(pci)) {
		pci = json_object();
		json_object_set_new(info, "pci", pci);
	}
	json_object_set_new(pci, "pci-address", json_string(vf->bdf));
	json_object_set_new(pci, "pf-pci-address", json_string(vf->pf_bdf));
	if (now->rdma_count)
		json_object_set_new(pci, "rdma-device", json_string(now->rdma[0].name));
	return json_dumps(info, JSON_COMPACT);
}

static int replace(const char *path, const char *text, struct err *e)
{
	auto_close int dir = -1;
	const char *name;
	int r = dir = open_parent(path, true, &name);

	if (r >= 0)
		r = file_write_atomic(dir, name, text, strlen(text), MODE);
	return r < 0 ? failed(e, r, "write", path) : 0;
}

int device_info_write(const struct record *record, const struct vf *vf, const struct vf_state *now,
		      struct err *e)
{
	auto_free char *text = NULL;
	const char *path, *before;

	if (!noted(record, &path, &before))
		return 0;
	text = describe(before, vf, now);
	return text ? replace(path, text, e) : failed(e, ENOMEM, "write", path);
}

int device_info_restore(const struct record *record, struct err *e)
{
	const char *path, *before;

	if (!noted(record, &path, &before) || access(path, F_OK))
		return 0; /* Multus takes it away itself */
	if (before)
		return replace(path, before, e);
	return unlink(path) && errno != ENOENT ? failed(e, errno, "remove", path) : 0;
}
