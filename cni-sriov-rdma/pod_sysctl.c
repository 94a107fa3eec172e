/* SPDX-License-Identifier: Apache-2.0 */
#include "pod_sysctl.h"

#include "attachments.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "cni/field.h"
#include "kernel/sysctl.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define NOTE "sysctl" /* an array in the record: key, path, value, and before for the pod's own */

static bool is_component(const char *name)
{
	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	for (; *name; name++)
		if (!isgraph((unsigned char)*name) || *name == '/')
			return false;
	return true;
}

/* One component, in which the other separator stands for itself; the rest of the key, or NULL. */
static const char *take_component(const char *key, char separator, char *ret, size_t size)
{
	size_t n = 0;

	for (; *key && *key != separator; key++) {
		if (n + 1 >= size)
			return NULL;
		ret[n++] = (char)(*key == '/' ? '.' : *key);
	}
	ret[n] = '\0';
	return key;
}

int pod_sysctl_path(const char *key, const char *ifname, char ret[POD_SYSCTL_PATH_MAX])
{
	char part[POD_SYSCTL_PATH_MAX], path[POD_SYSCTL_PATH_MAX] = "";
	char separator = key[strcspn(key, "./")];
	size_t n = 0, count = 0;

	for (; key; key = *key ? key + 1 : NULL, count++) {
		const char *name = part;

		key = take_component(key, separator, part, sizeof(part));
		if (!key)
			return -EINVAL;
		if (!strcmp(part, "IFNAME"))
			name = ifname;
		if (!is_component(name))
			return -EINVAL;
		if (!count && strcmp(name, "net") != 0)
			return -EINVAL;
		if (count)
			n += (size_t)snprintf(path + n, sizeof(path) - n, count > 1 ? "/%s" : "%s",
					      name);
		if (n >= sizeof(path))
			return -EINVAL;
	}
	if (count < 3)
		return -EINVAL;
	strcpy(ret, path);
	return 0;
}

static bool is_value(json_t *value)
{
	const char *text = json_string_value(value);

	if (!text || !*text || strlen(text) != json_string_length(value) ||
	    strlen(text) >= SYSCTL_VALUE_MAX)
		return false;
	for (; *text; text++)
		if (!isprint((unsigned char)*text) && *text != '\t')
			return false;
	return true;
}

int pod_sysctl_check_conf(json_t *sysctl, const char *ifname, struct err *e)
{
	const struct field_of of = { sysctl, "sysctl.", CNI_ERR_CONFIG };
	char path[POD_SYSCTL_PATH_MAX], text[FIELD_TEXT];
	const char *key;
	json_t *value;

	json_object_foreach(sysctl, key, value) {
		if (pod_sysctl_path(key, ifname, path))
			return err_set(e, CNI_ERR_CONFIG, 0,
				       "sysctl: \"%s\": %s: only a network namespace's settings "
				       "can be set, such as net.ipv4.conf.IFNAME.arp_ignore",
				       key, field_text(value, text));
		if (!is_value(value))
			return field_wrong(&of, key, value, e,
					   "a string of one line, such as \"1\"");
	}
	return 0;
}

/* ipv4/conf/net1/arp_ignore, ipv6/neigh/net1/…: does it come and go with the interface? */
static bool is_of_interface(const char *path, const char *ifname)
{
	char wanted[sizeof("/neigh//") + IFNAMSIZ];
	const char *rest = strchr(path, '/');

	for (int i = 0; rest && i < 2; i++) {
		snprintf(wanted, sizeof(wanted), i ? "/conf/%s/" : "/neigh/%s/", ifname);
		if (!strncmp(rest, wanted, strlen(wanted)))
			return true;
	}
	return false;
}

static const char *member(json_t *note, const char *key)
{
	return json_string_value(json_object_get(note, key));
}

static json_t *find_note(const struct record *record, const char *path)
{
	json_t *note;
	size_t i;

	json_array_foreach(json_object_get(record->root, NOTE), i, note) {
		const char *its = member(note, "path");

		if (its && member(note, "value") && !strcmp(its, path))
			return note;
	}
	return NULL;
}

/* The newest of the pod's other attachments that asks for a setting. */
static json_t *find_sibling_note(const struct siblings *others, const char *path)
{
	int64_t since = INT64_MIN;
	json_t *newest = NULL;

	for (size_t i = 0; i < others->count; i++) {
		json_t *note = find_note(&others->list[i], path);

		if (note && member(note, "before") && others->list[i].since >= since) {
			since = others->list[i].since;
			newest = note;
		}
	}
	return newest;
}

/* What was before the first of the pod's attachments that asked for it. */
static int note_before(struct vf_site *site, const struct siblings *others, const char *path,
		       json_t *note, struct err *e)
{
	json_t *sibling = find_sibling_note(others, path);
	char before[SYSCTL_VALUE_MAX];
	int r;

	if (sibling) {
		json_object_set(note, "before", json_object_get(sibling, "before"));
		return 0;
	}
	r = sysctl_net_get(site->pod_ns, site->host_ns, path, before, e);
	if (!r)
		json_object_set_new(note, "before", json_string(before));
	return r;
}

static int wrong_setting(struct err *e, const char *key, const char *value)
{
	e->code = CNI_ERR_CONFIG;
	err_prefix(e, "sysctl: \"%s\": \"%s\"", key, value);
	if (e->sys == ENOENT)
		err_details(
			e,
			"a pod's network namespace has no such setting; has a module to be loaded first?");
	else if (e->sys == EACCES || e->sys == EPERM)
		err_details(e, "it is the node's, and a pod's network namespace only shows it");
	return -e->sys ?: -EINVAL;
}

static int note_all(struct vf_site *site, const struct siblings *others, json_t *sysctl,
		    struct record *record, struct err *e)
{
	const char *ifname = record->env.ifname, *key;
	char path[POD_SYSCTL_PATH_MAX];
	json_t *value;
	int r = 0;

	json_object_foreach(sysctl, key, value) {
		const char *text = json_string_value(value);
		json_t *note;

		pod_sysctl_path(key, ifname, path); /* checked with the configuration */
		if (find_note(record, path))
			return err_set(e, CNI_ERR_CONFIG, 0,
				       "sysctl: \"%s\": \"%s\": it is there twice", key, text);
		note = json_pack("{s:s, s:s, s:s}", "key", key, "path", path, "value", text);
		if (!note || json_array_append_new(json_object_get(record->root, NOTE), note))
			return err_set(e, CNI_ERR_IO, ENOMEM, "note sysctl %s", key);
		if (!is_of_interface(path, ifname))
			r = note_before(site, others, path, note, e);
		else if (!(record->want.fields & VF_LINK))
			r = err_set(e, CNI_ERR_CONFIG, 0, "the VF has no network interface");
		if (r)
			return wrong_setting(e, key, text);
	}
	return 0;
}

int pod_sysctl_note(struct vf_site *site, int store, const struct attach_conf *conf,
		    struct record *record, int *ret_lock, struct err *e)
{
	auto_siblings struct siblings others = { 0 };
	auto_close int lock = -1;
	struct netns_id own, pod;
	int r;

	*ret_lock = -1;
	if (!json_object_size(conf->sysctl))
		return 0;
	r = netns_id(site->host_ns, &own, e) ?: netns_id(site->pod_ns, &pod, e);
	if (!r && netns_id_equal(&own, &pod))
		r = err_set(e, CNI_ERR_CONFIG, 0,
			    "sysctl: CNI_NETNS is the node's own network namespace");
	if (r)
		return r;
	lock = attachments_lock(store, e);
	if (lock < 0)
		return lock;
	r = attachment_siblings(store, record, &others, e);
	if (r)
		return r;
	json_object_set_new(record->root, NOTE, json_array());
	r = note_all(site, &others, conf->sysctl, record, e);
	if (!r)
		*ret_lock = take_fd(&lock);
	return r;
}

int pod_sysctl_apply(struct vf_site *site, struct record *record, struct err *e)
{
	char now[SYSCTL_VALUE_MAX];
	json_t *note;
	size_t i;

	json_array_foreach(json_object_get(record->root, NOTE), i, note) {
		const char *path = member(note, "path"), *value = member(note, "value");
		int r = sysctl_net_set(site->pod_ns, site->host_ns, path, value, e);

		/* 0x10 shows as 16: what CHECK compares with is the kernel's way to write it */
		r = r ?: sysctl_net_get(site->pod_ns, site->host_ns, path, now, e);
		if (r)
			return wrong_setting(e, member(note, "key"), value);
		json_object_set_new(note, "value", json_string(now));
	}
	return 0;
}

int pod_sysctl_check(struct vf_site *site, const struct record *record, struct err *e)
{
	char now[SYSCTL_VALUE_MAX];
	json_t *note;
	size_t i;

	json_array_foreach(json_object_get(record->root, NOTE), i, note) {
		const char *path = member(note, "path"), *value = member(note, "value");
		int r;

		if (!path || !value)
			continue;
		r = sysctl_net_get(site->pod_ns, site->host_ns, path, now, e);
		if (r)
			return r;
		if (!sysctl_value_equal(now, value))
			return err_set(e, CNI_ERR_STATE, 0, "sysctl net/%s is %s, not %s", path,
				       now, value);
	}
	return 0;
}

/* What the newest of those that still want it wants, else what was before them all. */
static int give_back(struct vf_site *site, const struct siblings *others, json_t *note,
		     struct err *e)
{
	const char *path = member(note, "path"), *value = member(note, "before");
	json_t *sibling;
	int r;

	if (!path || !value)
		return 0;
	sibling = find_sibling_note(others, path);
	if (sibling)
		value = member(sibling, "value");
	r = sysctl_net_set(site->pod_ns, site->host_ns, path, value, e);
	return r == -ENOENT ? 0 : r; /* whoever had it is gone */
}

int pod_sysctl_undo(struct vf_site *site, int store, const struct record *record, struct err *e)
{
	auto_siblings struct siblings others = { 0 };
	json_t *notes = json_object_get(record->root, NOTE), *note;
	struct err first = { 0 }, err;
	auto_close int lock = -1;
	bool shared = false;
	size_t i;
	int r;

	json_array_foreach(notes, i, note)
		shared |= json_object_get(note, "before") != NULL;
	if (!shared || site->pod_ns < 0)
		return 0;
	lock = attachments_lock(store, e);
	if (lock < 0)
		return lock;
	r = attachment_siblings(store, record, &others, e);
	if (r)
		return r;
	json_array_foreach(notes, i, note)
		if (give_back(site, &others, note, &err))
			err_keep_first(&first, &err);
	r = err_return(&first, e);
	if (r)
		return r;
	/* a sibling that ends now must not find it here, and leave to us what we have done already */
	json_object_del(record->root, NOTE);
	return record_save(store, record, e);
}
