/* SPDX-License-Identifier: Apache-2.0 */
#include "record.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "state_json.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>

#define RECORD_VERSION 1
#define RECORD_LIMIT   (4 << 20) /* bytes: a configuration may be as long */

void record_done(struct record *r)
{
	json_decref(r->root);
	free(r->text);
	*r = (struct record){ 0 };
}

static int damaged(struct err *e, const char *bdf, const char *what)
{
	err_set(e, CNI_ERR_IO, EBADMSG, "the record of VF %s is damaged (%s)", bdf, what);
	return -EBADMSG;
}

int record_parse(json_t *root, const char *bdf, struct record *ret, struct err *e)
{
	struct record r = { .root = root };
	json_t *before, *want;
	json_int_t dev, ino, since, cookie = 0; /* records of older builds have no cookie */
	int version = 0;
	json_error_t je;
	struct err se;

	if (json_unpack(root, "{s:i}", "version", &version) || version != RECORD_VERSION) {
		record_done(&r);
		return damaged(e, bdf, "version");
	}
	if (json_unpack_ex(
		    root, &je, 0,
		    "{s:s, s:s, s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:{s:I, s:I, s?I}, s:o, s:o, s:o}",
		    "bootId", &r.boot, "pf", &r.pf, "since", &since, "network", &r.network,
		    "containerId", &r.env.container_id, "ifname", &r.env.ifname, "netns",
		    &r.env.netns, "cniArgs", &r.env.args, "cniPath", &r.env.path, "netnsId", "dev",
		    &dev, "ino", &ino, "cookie", &cookie, "conf", &r.conf, "before", &before,
		    "want", &want)) {
		record_done(&r);
		return damaged(e, bdf, je.text);
	}
	if (state_from_json(before, &r.before, &se) || state_from_json(want, &r.want, &se)) {
		record_done(&r);
		return damaged(e, bdf, se.msg);
	}
	strcpy(r.bdf, bdf);
	r.since = since;
	r.netns_id = (struct netns_id){ (uint64_t)dev, (uint64_t)ino, (uint64_t)cookie };
	r.result = json_object_get(root, "result");
	*ret = r;
	return 0;
}

/* What the way back may need of the configuration; the results of others, and lists, it does not. */
static json_t *conf_to_keep(json_t *conf)
{
	json_t *kept = json_copy(conf);

	json_object_del(kept, "prevResult");
	json_object_del(kept, "cni.dev/valid-attachments");
	json_object_del(kept, "cni.dev/attachments");
	return kept;
}

int record_new(const struct cni_call *call, const struct vf *vf, const struct netns_id *netns,
	       const struct vf_state *before, const struct vf_state *want, struct record *ret,
	       struct err *e)
{
	const struct cni_env *env = &call->env;
	char boot[BOOT_ID_SIZE];
	json_t *root;
	int r = boot_id(boot, e);

	if (r)
		return r;
	root = json_pack(
		"{s:i, s:s, s:s, s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:{s:I, s:I, s:I}, s:o, s:o, s:o}",
		"version", RECORD_VERSION, "bootId", boot, "pf", vf->pf_name, "since",
		(json_int_t)time(NULL), "network", call->conf.name, "containerId",
		env->container_id, "ifname", env->ifname, "netns", env->netns, "cniArgs", env->args,
		"cniPath", env->path, "netnsId", "dev", (json_int_t)netns->dev, "ino",
		(json_int_t)netns->ino, "cookie", (json_int_t)netns->cookie, "conf",
		conf_to_keep(call->conf.root), "before", state_to_json(before), "want",
		state_to_json(want));
	if (!root) /* not UTF-8, or no memory */
		return err_set(
			e, CNI_ERR_ENV, 0,
			"CNI_NETNS, CNI_ARGS or CNI_PATH is not UTF-8: it cannot be recorded");
	return record_parse(root, vf->bdf, ret, e);
}

int record_set_result(struct record *r, json_t *result, struct err *e)
{
	if (json_object_set(r->root, "result", result))
		return err_set(e, CNI_ERR_IO, ENOMEM, "record the result");
	r->result = json_object_get(r->root, "result");
	return 0;
}

void record_leave_rdma(struct record *r)
{
	json_object_del(json_object_get(r->root, "want"), "rdma");
	r->want.fields &= ~(unsigned int)VF_RDMA;
	r->want.rdma_count = 0;
}

bool record_is_owner(const struct record *r, const char *network, const struct cni_env *env)
{
	return !strcmp(r->network, network) && !strcmp(r->env.container_id, env->container_id) &&
	       !strcmp(r->env.ifname, env->ifname);
}

bool record_is_of_boot(const struct record *r, const char *boot)
{
	return !strcmp(r->boot, boot);
}

const char *record_pod(const struct record *r, char *buf, size_t size)
{
	if (!cni_env_pod(&r->env, buf, size))
		snprintf(buf, size, "%s", r->env.container_id);
	return buf;
}

int record_store_open(const char *data_dir, bool make, struct err *e)
{
	return record_store_open_named(data_dir, RECORDS, make, e);
}

int record_store_open_named(const char *data_dir, const char *records, bool make, struct err *e)
{
	auto_close int dir = dir_open(data_dir, make);
	int store;

	if (dir < 0)
		return err_set(e, CNI_ERR_IO, dir, "open the state directory %s", data_dir);
	store = dir_open_at(dir, records, make);
	if (store < 0)
		return err_set(e, CNI_ERR_IO, store, "open %s/%s", data_dir, records);
	return store;
}

static void file_name(char name[PCI_ADDR_MAX + sizeof(".json")], const char *bdf)
{
	sprintf(name, "%s.json", bdf);
}

int record_save(int store, const struct record *r, struct err *e)
{
	char name[PCI_ADDR_MAX + sizeof(".json")];
	auto_free char *text = json_dumps(r->root, JSON_COMPACT);
	int ret;

	if (!text)
		return err_set(e, CNI_ERR_IO, ENOMEM, "write the record of VF %s", r->bdf);
	file_name(name, r->bdf);
	ret = file_write_atomic(store, name, text, strlen(text), 0600);
	return ret ? err_set(e, CNI_ERR_IO, ret, "write the record of VF %s", r->bdf) : 0;
}

static int read_text(int store, const char *bdf, char **ret, size_t *ret_len, struct err *e)
{
	char name[PCI_ADDR_MAX + sizeof(".json")];
	int r;

	file_name(name, bdf);
	r = file_read(store, name, RECORD_LIMIT, ret, ret_len);
	if (!r || r == -ENOENT)
		return r;
	if (r == -EIO)
		return damaged(e, bdf, "the disk cannot read it");
	if (file_is_unfit(r))
		return damaged(e, bdf, "it is no regular file of a fitting size");
	return err_set(e, CNI_ERR_IO, r, "read the record of VF %s", bdf);
}

/* Takes the text over. */
static int parse_text(char *text, size_t len, const char *bdf, struct record *ret, struct err *e)
{
	json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	int r = root ? record_parse(root, bdf, ret, e) : damaged(e, bdf, "no JSON");

	if (r)
		free(text);
	else
		ret->text = text;
	return r;
}

int record_load(int store, const char *bdf, struct record *ret, struct err *e)
{
	char *text = NULL;
	size_t len = 0;
	int r = read_text(store, bdf, &text, &len, e);

	return r ? r : parse_text(text, len, bdf, ret, e);
}

bool record_is_lost(int r)
{
	return r == -ENOENT || r == -EBADMSG;
}

int record_load_again(int store, struct record *r, struct err *e)
{
	auto_free char *text = NULL;
	char bdf[PCI_ADDR_MAX];
	size_t len = 0;
	int ret = read_text(store, r->bdf, &text, &len, e);

	if (!ret && r->text && strlen(r->text) == len && !memcmp(text, r->text, len))
		return 0;
	memcpy(bdf, r->bdf, sizeof(bdf));
	record_done(r);
	memcpy(r->bdf, bdf, sizeof(bdf));
	return ret ? ret : parse_text(take_ptr(text), len, bdf, r, e);
}

/* "0000:14:00.1.json" to its address. */
static bool is_record_name(const char *name, char bdf[PCI_ADDR_MAX])
{
	const char *end = strrchr(name, '.');
	size_t len = end ? (size_t)(end - name) : 0;
	char text[PCI_ADDR_MAX];

	if (!end || strcmp(end, ".json") || len >= sizeof(text))
		return false;
	memcpy(text, name, len);
	text[len] = '\0';
	return !pci_addr_parse(text, bdf);
}

static int by_address(const void *a, const void *b)
{
	return strcmp(a, b);
}

int record_list(int store, char (**ret)[PCI_ADDR_MAX], size_t *ret_count, struct err *e)
{
	auto_close int fd = openat(store, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_free char(*list)[PCI_ADDR_MAX] = NULL;
	auto_closedir DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *d;
	char bdf[PCI_ADDR_MAX];
	size_t count = 0;
	void *grown;
	int r;

	if (!dir)
		return err_set(e, CNI_ERR_IO, errno, "read the directory of records");
	take_fd(&fd);
	while (!(r = dir_next(dir, &d)) && d) {
		if (!is_record_name(d->d_name, bdf))
			continue;
		grown = reallocarray(list, count + 1, sizeof(*list));
		if (!grown)
			return err_set(e, CNI_ERR_IO, ENOMEM, "read the directory of records");
		list = grown;
		strcpy(list[count++], bdf);
	}
	if (r)
		return err_set(e, CNI_ERR_IO, r, "read the directory of records");
	if (count)
		qsort(list, count, sizeof(*list), by_address);
	*ret = take_ptr(list);
	*ret_count = count;
	return 0;
}

int record_find(int store, const char *network, const struct cni_env *env, struct record *ret,
		struct err *e)
{
	auto_free char(*list)[PCI_ADDR_MAX] = NULL;
	struct err first = { 0 }, err;
	size_t count;
	int r = record_list(store, &list, &count, e);

	if (r)
		return r;
	for (size_t i = 0; i < count; i++) {
		struct record record;

		r = record_load(store, list[i], &record, &err);
		/* a damaged one never tells whose it is; this one may be what is looked for */
		if (r && !record_is_lost(r))
			err_keep_first(&first, &err);
		if (r)
			continue;
		if (record_is_owner(&record, network, env)) {
			*ret = record;
			return 0;
		}
		record_done(&record);
	}
	return first.code ? err_return(&first, e) : -ENOENT;
}

int record_drop(int store, const char *bdf, struct err *e)
{
	char name[PCI_ADDR_MAX + sizeof(".json.tmp")];

	sprintf(name, "%s.json.tmp", bdf);
	unlinkat(store, name, 0); /* left by a killed writer that was to replace the record */
	file_name(name, bdf);
	if (unlinkat(store, name, 0) && errno != ENOENT)
		return err_set(e, CNI_ERR_IO, errno, "remove the record of VF %s", bdf);
	return 0;
}

int record_set_aside(int store, const char *bdf, struct err *e)
{
	char name[PCI_ADDR_MAX + sizeof(".json")], aside[PCI_ADDR_MAX + sizeof(".damaged")];

	file_name(name, bdf);
	sprintf(aside, "%s.damaged", bdf);
	unlinkat(store, aside, 0); /* an older one, which a directory could not replace */
	unlinkat(store, aside, AT_REMOVEDIR);
	if (renameat(store, name, store, aside) && errno != ENOENT)
		return err_set(e, CNI_ERR_IO, errno, "set the damaged record of VF %s aside", bdf);
	return 0;
}
