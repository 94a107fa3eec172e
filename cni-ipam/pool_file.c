/* SPDX-License-Identifier: Apache-2.0 */
#include "pool_file.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "nvipam.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define POOL_FILE_MAX ((size_t)16 << 20)
#define SUFFIX	      ".json"

/* Read a file; a link is followed, as ConfigMaps mount their files behind links. */
static int load_json(const char *path, json_t **ret, struct err *e)
{
	auto_free char *real = realpath(path, NULL);
	auto_free char *text = NULL;
	json_error_t why;
	json_t *json;
	size_t len;
	int r = real ? file_read(AT_FDCWD, real, POOL_FILE_MAX, &text, &len) : -errno;

	if (r)
		return err_set(e, CNI_ERR_IO, r, "read pool file %s", path);
	json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
	if (!json) {
		err_set(e, CNI_ERR_CONFIG, 0, "pool file %s: line %d, column %d: %s", path,
			why.line, why.column, why.text);
		err_details(
			e,
			"Pool files are JSON. What kubectl prints with -o yaml is not: use -o json.");
		return -EINVAL;
	}
	if (!json_is_object(json)) {
		json_decref(json);
		return err_set(e, CNI_ERR_CONFIG, 0, "pool file %s: is not a JSON object", path);
	}
	*ret = json;
	return 0;
}

/* The file's name without directory and suffix, which is the pool's in our own form. */
static void name_of_file(const char *path, char ret[NAME_MAX + 1])
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t len = strlen(base);

	if (len > strlen(SUFFIX) && !strcmp(base + len - strlen(SUFFIX), SUFFIX))
		len -= strlen(SUFFIX);
	snprintf(ret, NAME_MAX + 1, "%.*s", (int)len, base);
}

/* kubectl get -A prints a List of objects. */
static json_t *items_of(json_t *json)
{
	const char *kind = json_string_value(json_object_get(json, "kind"));
	json_t *items = json_object_get(json, "items");

	return kind && json_is_array(items) && strlen(kind) >= 4 &&
			       !strcmp(kind + strlen(kind) - 4, "List")
		       ? items
		       : NULL;
}

/* The name of what stands in a file: nv-ipam's objects bring theirs along. */
static const char *name_of_object(json_t *json, const char *file_name)
{
	const char *name =
		json_string_value(json_object_get(json_object_get(json, "metadata"), "name"));

	return nvipam_object_kind(json) == POOL_ANY ? file_name : name ? name : "";
}

static int read_object(json_t *json, const char *path, const char *name, const char *node,
		       struct pool *ret, struct err *e)
{
	auto_pool struct pool pool = { 0 };
	int r = 0;

	if (!cni_name_is_valid(name))
		r = err_set(e, CNI_ERR_CONFIG, 0,
			    "name: '%s' is not a letter or digit followed by letters, digits, '_', "
			    "'.' or '-'",
			    name);
	else if (nvipam_object_kind(json) != POOL_ANY)
		r = nvipam_object_read(json, node, &pool, e);
	else if (json_object_get(json, "apiVersion"))
		r = err_set(
			e, CNI_ERR_CONFIG, 0,
			"it is neither a pool of cni-ipam nor an IPPool or CIDRPool of nv-ipam");
	else
		r = pool_read_native(json, name, node, &pool, e);
	if (r) {
		err_prefix(e, "pool file %s", path);
		return r;
	}
	snprintf(pool.name, sizeof(pool.name), "%s", name);
	*ret = pool;
	memset(&pool, 0, sizeof(pool));
	return 0;
}

/* The object of a file that is the pool asked for, borrowed; NULL when none is. */
static json_t *find_object(json_t *json, const char *path, const char *name, enum pool_kind kind)
{
	json_t *items = items_of(json), *item;
	char file_name[NAME_MAX + 1];
	size_t i;

	name_of_file(path, file_name);
	if (items) {
		json_array_foreach(items, i, item)
			if (nvipam_object_kind(item) != POOL_ANY &&
			    !strcmp(name_of_object(item, ""), name) &&
			    (kind == POOL_ANY || kind == nvipam_object_kind(item)))
				return item;
		return NULL;
	}
	if (strcmp(name_of_object(json, file_name), name))
		return NULL;
	/* a pool of our own form is what poolType says */
	return kind == POOL_ANY || nvipam_object_kind(json) == POOL_ANY ||
			       kind == nvipam_object_kind(json)
		       ? json
		       : NULL;
}

static int is_pool_file(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > strlen(SUFFIX) &&
	       !strcmp(entry->d_name + len - strlen(SUFFIX), SUFFIX);
}

static void free_list(struct dirent **list, int count)
{
	for (int i = 0; i < count; i++)
		free(list[i]);
	free(list);
}

static int not_found(const struct conf *conf, const char *name, struct err *e)
{
	static const char *const kinds[] = { "pool", "IPPool", "CIDRPool" };

	err_set(e, CNI_ERR_CONFIG, 0, "there is no %s '%s' in %s", kinds[conf->kind], name,
		conf->pools_dir);
	err_details(e,
		    "A pool is defined in %s/%s.json on each node; or give ranges in the network "
		    "configuration: \"subnet\", or \"ranges\".",
		    conf->pools_dir, name);
	return -EINVAL;
}

/* Look through all files but NAME.json; a file that cannot be read may be the one, so it is an error. */
static int search(const struct conf *conf, const char *name, char path[PATH_MAX], json_t **ret,
		  struct err *e)
{
	struct dirent **list = NULL;
	int count = scandir(conf->pools_dir, &list, is_pool_file, alphasort), r = 0;

	if (count < 0 && errno != ENOENT)
		return err_set(e, CNI_ERR_IO, errno, "read pools directory %s", conf->pools_dir);
	for (int i = 0; !r && !*ret && i < count; i++) {
		json_auto_t *json = NULL;

		snprintf(path, PATH_MAX, "%s/%s", conf->pools_dir, list[i]->d_name);
		r = load_json(path, &json, e);
		if (!r)
			*ret = json_incref(find_object(json, path, name, conf->kind));
	}
	free_list(list, count);
	if (r || *ret)
		return r;
	return not_found(conf, name, e);
}

/* The pool's object, and the file it was in. */
static int find(const struct conf *conf, const char *name, char path[PATH_MAX], json_t **ret,
		struct err *e)
{
	json_auto_t *json = NULL;
	json_t *found;
	int r;

	snprintf(path, PATH_MAX, "%s/%s" SUFFIX, conf->pools_dir, name);
	r = load_json(path, &json, e);
	if (r && r != -ENOENT)
		return r;
	found = r ? NULL : find_object(json, path, name, conf->kind);
	if (found) {
		*ret = json_incref(found);
		return 0;
	}
	return search(conf, name, path, ret, e);
}

/*
 * What tells that a file is as it was: its identity, size and times, and the directory's, as another
 * file might come before it now. A file that was changed within the last second is not remembered: its
 * times are of the clock's last tick, and it may change once more within the same.
 */
static bool make_stamp(const char *dir, const char *path, char *ret, size_t size)
{
	struct timespec now;
	struct stat f, d;

	if (stat(path, &f) || stat(dir, &d))
		return false;
	clock_gettime(CLOCK_REALTIME, &now);
	if (f.st_ctim.tv_sec >= now.tv_sec - 1 || d.st_ctim.tv_sec >= now.tv_sec - 1)
		return false;
	snprintf(ret, size, "%s\n%llu:%llu:%lld:%lld.%09ld:%lld.%09ld:%lld.%09ld", path,
		 (unsigned long long)f.st_dev, (unsigned long long)f.st_ino, (long long)f.st_size,
		 (long long)f.st_mtim.tv_sec, f.st_mtim.tv_nsec, (long long)f.st_ctim.tv_sec,
		 f.st_ctim.tv_nsec, (long long)d.st_ctim.tv_sec, d.st_ctim.tv_nsec);
	return true;
}

#define STAMP_MAX (PATH_MAX + 160)

static void make_key(const struct conf *conf, const char *name, char *ret, size_t size)
{
	snprintf(ret, size, "%s\n%s\n%d\n%s", conf->pools_dir, name, conf->kind, conf->node);
}

/* What is remembered of the pool, if its file is as it was then. */
static int recall(struct store *store, const struct conf *conf, const char *key, struct pool *ret,
		  bool *ret_found, struct err *e)
{
	auto_free char *stamp = NULL, *body = NULL;
	char path[PATH_MAX], now[STAMP_MAX];
	int r = store_source_get(store, key, &stamp, &body, e);

	if (r || !stamp)
		return r;
	snprintf(path, sizeof(path), "%.*s", (int)strcspn(stamp, "\n"), stamp);
	*ret_found = make_stamp(conf->pools_dir, path, now, sizeof(now)) && !strcmp(now, stamp) &&
		     !pool_digest_read(body, ret);
	return 0;
}

int pool_file_load(struct store *store, const struct conf *conf, const char *name, struct pool *ret,
		   struct err *e)
{
	char path[PATH_MAX], stamp[STAMP_MAX], key[STORE_DIR_MAX + 3 * NAME_MAX];
	auto_free char *body = NULL;
	json_auto_t *json = NULL;
	bool found = false, stable = false;
	int r;

	make_key(conf, name, key, sizeof(key));
	r = store ? recall(store, conf, key, ret, &found, e) : 0;
	if (found)
		snprintf(ret->name, sizeof(ret->name), "%s", name);
	if (r || found)
		return r;
	r = find(conf, name, path, &json, e);
	if (r)
		return r;
	r = read_object(json, path, name, conf->node, ret, e);
	if (r || !store)
		return r;
	stable = make_stamp(conf->pools_dir, path, stamp, sizeof(stamp));
	body = stable ? pool_digest_write(ret) : NULL;
	return body ? store_source_put(store, key, stamp, body, e) : 0;
}

static int check_object(json_t *json, const char *path, const char *node, pool_file_fn *fn,
			void *arg)
{
	auto_pool struct pool pool = { 0 };
	char file_name[NAME_MAX + 1];
	const char *name;
	struct err why = { 0 };

	name_of_file(path, file_name);
	name = name_of_object(json, file_name);
	if (read_object(json, path, name, node, &pool, &why))
		return fn(path, name, NULL, &why, arg);
	return fn(path, name, &pool, NULL, arg);
}

int pool_file_check(const char *path, const char *node, pool_file_fn *fn, void *arg, struct err *e)
{
	json_auto_t *json = NULL;
	json_t *items, *item;
	char name[NAME_MAX + 1];
	size_t i;
	int r = load_json(path, &json, e);

	name_of_file(path, name);
	if (r)
		return fn(path, name, NULL, e, arg);
	items = items_of(json);
	if (!items)
		return check_object(json, path, node, fn, arg);
	json_array_foreach(items, i, item) {
		r = check_object(item, path, node, fn, arg);
		if (r)
			return r;
	}
	return 0;
}

int pool_file_each(const char *dir, const char *node, pool_file_fn *fn, void *arg, struct err *e)
{
	struct dirent **list = NULL;
	int count = scandir(dir, &list, is_pool_file, alphasort), r = 0;
	char path[PATH_MAX];

	if (count < 0)
		return errno == ENOENT
			       ? 0
			       : err_set(e, CNI_ERR_IO, errno, "read pools directory %s", dir);
	for (int i = 0; !r && i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, list[i]->d_name);
		r = pool_file_check(path, node, fn, arg, e);
	}
	free_list(list, count);
	return r;
}
