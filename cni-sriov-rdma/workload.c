/* SPDX-License-Identifier: Apache-2.0 */
#include "workload.h"

#include "attachments.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "workload_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define NOTE "workload" /* in the record: root, below */
#define NCCL "nccl.conf"
#define JSON "rdma.json"
#define MODE 0644

/* --- what is told ------------------------------------------------------------------------------------------- */

static int by_interface(const void *a, const void *b)
{
	return strverscmp(((const struct record *)a)->env.ifname,
			  ((const struct record *)b)->env.ifname);
}

static json_t *describe_one(const struct record *r)
{
	json_t *interface = json_array_get(json_object_get(r->result, "interfaces"), 0);
	json_t *addresses = json_array(), *devices = json_object_get(r->root, "rdma"), *ip;
	size_t i;

	json_array_foreach(json_object_get(r->result, "ips"), i, ip) {
		json_array_append(addresses, json_object_get(ip, "address"));
	}
	return json_pack("{s:s, s:s, s:s, s:O?, s:o, s:o}", "interface", r->env.ifname, "network",
			 r->network, "pciAddress", r->bdf, "mtu", json_object_get(interface, "mtu"),
			 "addresses", addresses, "devices",
			 devices ? json_incref(devices) : json_array());
}

json_t *workload_describe(struct record *records, size_t count)
{
	json_t *attachments = json_array();

	qsort(records, count, sizeof(*records), by_interface);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(attachments, describe_one(&records[i]));
	return json_pack("{s:i, s:o}", "version", 1, "attachments", attachments);
}

struct nccl {
	FILE *devices, *interfaces; /* lists with commas */
	unsigned int device_count, interface_count;
	bool has_ipv4, has_other_gids;
	json_int_t gid_index; /* -1 = none yet */
};

static void look_at_device(struct nccl *n, json_t *device)
{
	json_t *gids = json_object_get(device, "gids"), *gid;
	size_t i;

	fprintf(n->devices, "%s%s:%lld", n->device_count++ ? "," : "=",
		json_string_value(json_object_get(device, "device")) ?: "",
		(long long)json_integer_value(json_object_get(device, "port")));
	if (!json_array_size(gids))
		n->has_other_gids = true;
	json_array_foreach(gids, i, gid) {
		json_int_t index = json_integer_value(json_object_get(gid, "index"));

		if (n->gid_index >= 0 && n->gid_index != index)
			n->has_other_gids = true;
		n->gid_index = index;
	}
}

static void look_at_attachment(struct nccl *n, json_t *attachment)
{
	json_t *addresses = json_object_get(attachment, "addresses"), *item;
	const char *ifname = json_string_value(json_object_get(attachment, "interface"));
	size_t i;

	if (json_array_size(addresses) && ifname)
		fprintf(n->interfaces, "%s%s", n->interface_count++ ? "," : "=", ifname);
	json_array_foreach(addresses, i, item) {
		if (!strchr(json_string_value(item) ?: "", ':'))
			n->has_ipv4 = true;
	}
	json_array_foreach(json_object_get(attachment, "devices"), i, item) {
		look_at_device(n, item);
	}
}

char *workload_nccl(json_t *description)
{
	auto_free char *devices = NULL, *interfaces = NULL;
	struct nccl n = { .gid_index = -1 };
	size_t size, i;
	char *text = NULL;
	json_t *item;
	FILE *out;

	n.devices = open_memstream(&devices, &size);
	n.interfaces = open_memstream(&interfaces, &size);
	out = open_memstream(&text, &size);
	if (n.devices && n.interfaces && out) {
		json_array_foreach(json_object_get(description, "attachments"), i, item) {
			look_at_attachment(&n, item);
		}
		fflush(n.devices);
		fflush(n.interfaces);
		/* NCCL takes each line with an equals sign for a variable, a comment's too; "=" in front of a list is for
		 * names as they are, not beginnings of names */
		fprintf(out, "# the RDMA devices and interfaces of this pod, by cni-sriov-rdma\n");
		if (n.device_count)
			fprintf(out, "NCCL_IB_HCA=%s\n", devices);
		if (n.interface_count)
			fprintf(out, "NCCL_SOCKET_IFNAME=%s\n", interfaces);
		if (n.gid_index >= 0 && !n.has_ipv4 && !n.has_other_gids)
			fprintf(out, "NCCL_IB_GID_INDEX=%lld\n", (long long)n.gid_index);
	}
	if (n.devices)
		fclose(n.devices);
	if (n.interfaces)
		fclose(n.interfaces);
	if (out)
		fclose(out);
	return text;
}

/* --- where it is told --------------------------------------------------------------------------------------- */

int workload_note(const char *template, struct record *record, struct err *e)
{
	struct workload_path path;
	json_t *note;
	int r;

	if (!*template)
		return 0;
	r = workload_path_expand(template, &record->env, &path, e);
	if (r)
		return r;
	note = json_pack("{s:s, s:s}", "root", path.root, "below", path.below);
	if (!note || json_object_set_new(record->root, NOTE, note))
		return err_set(e, CNI_ERR_IO, EINVAL, "note the workload's directory %s%s",
			       path.root, path.below);
	return 0;
}

static bool noted(const struct record *record, struct workload_path *ret)
{
	json_t *note = json_object_get(record->root, NOTE);
	const char *root = json_string_value(json_object_get(note, "root"));
	const char *below = json_string_value(json_object_get(note, "below"));

	if (!root || !below || strlen(root) >= sizeof(ret->root) ||
	    strlen(below) >= sizeof(ret->below))
		return false;
	strcpy(ret->root, root);
	strcpy(ret->below, below);
	return true;
}

struct choice {
	const struct workload_path *path;
	const char *container; /* NULL = any */
};

static bool is_told_there(const struct record *r, const void *arg)
{
	const struct choice *choice = arg;
	struct workload_path path;

	return r->result && noted(r, &path) && !strcmp(path.root, choice->path->root) &&
	       !strcmp(path.below, choice->path->below) &&
	       (!choice->container || !strcmp(r->env.container_id, choice->container));
}

/* A pod's sandbox may be made anew before the old one is taken down: the files are the new one's. */
static void keep_newest(struct siblings *s)
{
	const char *container = NULL;
	int64_t since = INT64_MIN;
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].since >= since) {
			since = s->list[i].since;
			container = s->list[i].env.container_id;
		}
	for (size_t i = 0; i < s->count; i++) {
		struct record r = s->list[i];

		if (strcmp(r.env.container_id, container) != 0) {
			record_done(&r);
			continue;
		}
		s->list[kept++] = r;
	}
	s->count = kept;
}

static int write_files(int dir, struct siblings *told)
{
	json_auto_t *description = workload_describe(told->list, told->count);
	auto_free char *json = json_dumps(description, JSON_INDENT(2));
	auto_free char *nccl = workload_nccl(description);
	int r;

	if (!json || !nccl)
		return -ENOMEM;
	r = file_write_atomic(dir, NCCL, nccl, strlen(nccl), MODE);
	return r ?: file_write_atomic(dir, JSON, json, strlen(json), MODE);
}

static int remove_files(int dir)
{
	static const char *const names[] = { NCCL, JSON, NCCL ".tmp", JSON ".tmp" };
	int r = 0;

	for (unsigned int i = 0; i < array_size(names); i++)
		if (unlinkat(dir, names[i], 0) && errno != ENOENT)
			r = -errno;
	return r;
}

int workload_write(int store, const struct record *record, struct err *e)
{
	auto_siblings struct siblings told = { 0 };
	auto_close int lock = -1, dir = -1;
	struct workload_path path;
	struct choice choice = { &path, record->env.container_id };
	int r;

	if (!noted(record, &path))
		return 0;
	lock = attachments_lock(store, e);
	if (lock < 0)
		return lock;
	r = attachments_select(store, is_told_there, &choice, &told, e);
	if (r)
		return r;
	r = dir = workload_path_open(&path, true);
	if (r == -ENOENT && workload_path_is_kubelet(&path)) {
		log_info("rdma.workloadDir: the pod has no volume %s%s", path.root, path.below);
		return 0;
	}
	if (r >= 0)
		r = write_files(dir, &told);
	return r ? err_set(e, CNI_ERR_IO, r, "write " NCCL " and " JSON " in %s%s", path.root,
			   path.below)
		 : 0;
}

/* What a pod that may write there can do. */
static bool is_pods_doing(int r)
{
	return r == -EISDIR || r == -ENOTEMPTY || r == -EEXIST || r == -ENOTDIR || r == -ELOOP;
}

/*
 * An error of the node's is told once, so that the runtime asks again. The VF is home: neither its next owner nor the
 * end of the pod shall wait for the file system of a volume.
 */
static int not_left(int store, const struct record *record, const struct workload_path *path, int r,
		    struct err *e)
{
	json_t *note = json_object_get(record->root, NOTE);
	struct err ignored;

	if (!is_pods_doing(r) && !json_object_get(note, "tried") &&
	    !json_object_set_new(note, "tried", json_true()) &&
	    !record_save(store, record, &ignored))
		return err_set(e, CNI_ERR_IO, r, "take VF %s out of the workload's files in %s%s",
			       record->bdf, path->root, path->below);
	log_warning("VF %s: it is not taken out of the workload's files in %s%s: %s", record->bdf,
		    path->root, path->below, strerror(-r));
	return 0;
}

static int leave_files(int store, const struct record *record, const struct workload_path *path,
		       struct err *e)
{
	auto_siblings struct siblings told = { 0 };
	struct choice choice = { path, NULL };
	int dir, r = attachments_select(store, is_told_there, &choice, &told, e);

	if (r)
		return r;
	siblings_drop(&told, record->bdf);
	dir = workload_path_open(path, false);
	if (dir == -ENOENT)
		return 0;
	r = dir;
	if (dir >= 0 && told.count) {
		keep_newest(&told);
		r = write_files(dir, &told);
	} else if (dir >= 0) {
		r = remove_files(dir);
		workload_path_remove(path);
	}
	if (dir >= 0)
		close(dir);
	return r ? not_left(store, record, path, r, e) : 0;
}

int workload_undo(int store, const struct record *record, struct err *e)
{
	struct workload_path path;
	auto_close int lock = -1;
	int r;

	if (!noted(record, &path))
		return 0;
	lock = attachments_lock(store, e);
	if (lock < 0)
		return lock;
	r = leave_files(store, record, &path, e);
	if (r)
		return r;
	/* an attachment that comes or goes now must not find it any more */
	json_object_del(record->root, NOTE);
	return record_save(store, record, e);
}
