/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose is a VF? Their files are named by container and interface, so two of them can be about one VF: of a pod whose
 * DEL has not come, and of the one that has the VF now. The newer one is right. sriov-cni writes the namespace that has
 * a VF to pci/ADDRESS, too, which tells it when a runtime does not.
 */
#include "legacy_undo.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "kernel/netns.h"
#include "legacy.h"
#include "legacy_ib.h"
#include "record.h"
#include "way_back.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define NS	   INT64_C(1000000000) /* in a second */
#define FILE_LIMIT (1 << 20) /* bytes: they hold one configuration */

static const char *const dirs[] = {
	[NAME_SRIOV] = "/var/lib/cni/sriov",
	[NAME_IB_SRIOV] = "/var/lib/cni/ib-sriov",
	[NAME_RDMA] = "/var/lib/cni/rdma",
};

/* One of their files. */
struct kept {
	int dir;
	char name[NAME_MAX + 1];
	int64_t written; /* nanoseconds since the epoch */
	struct legacy legacy;
};

static void kept_done(struct kept *k)
{
	legacy_done(&k->legacy);
	cleanup_close(&k->dir);
}
#define auto_kept __attribute__((cleanup(kept_done)))

/* Return: 0, or -ENOENT where that plugin has never been; code 5. */
static int open_kept(enum plugin_name plugin, struct kept *k, struct err *e)
{
	k->dir = dir_open(dirs[plugin], false);
	if (k->dir >= 0)
		return 0;
	return file_is_gone(k->dir) ? -ENOENT
				    : err_set(e, CNI_ERR_IO, k->dir, "open %s", dirs[plugin]);
}

/* Return: 0, -ENOENT, or -EBADMSG for what is no such file; code 5. */
static int load(int dir, const char *name, enum plugin_name plugin, struct legacy *ret,
		int64_t *ret_written, struct err *e)
{
	auto_free char *text = NULL;
	struct stat st;
	size_t len;
	json_t *root;
	int r = file_read(dir, name, FILE_LIMIT, &text, &len);

	if (!r && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		r = -errno;
	if (r == -ENOENT)
		return -ENOENT;
	root = r ? NULL : json_loadb(text, len, 0, NULL);
	if (!root) {
		err_set(e, CNI_ERR_IO, r ? r : EBADMSG, "read %s/%s", dirs[plugin], name);
		return !r || file_is_unfit(r) ? -EBADMSG : r;
	}
	*ret_written = st.st_mtim.tv_sec * NS + st.st_mtim.tv_nsec;
	return legacy_parse(plugin, root, ret, e);
}

/* The names hold nothing but what cni_env_load() and cni_conf_check() let pass: no '/'. */
static bool file_name(const struct cni_call *call, enum plugin_name plugin, char ret[NAME_MAX + 1])
{
	bool rdma = plugin == NAME_RDMA;

	return snprintf(ret, NAME_MAX + 1, "%s%s%s-%s", rdma ? call->conf.name : "",
			rdma ? "-" : "", call->env.container_id, call->env.ifname) <= NAME_MAX;
}

static int64_t boot_time(void)
{
	struct timespec up;

	clock_gettime(CLOCK_BOOTTIME, &up);
	return (time(NULL) - up.tv_sec) * NS;
}

/* The newest of their files about a VF. Return: 0, or -ENOENT; code 5. */
static int find_newest(enum plugin_name plugin, const char *bdf, struct kept *k, struct err *e)
{
	auto_close int fd = openat(k->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_closedir DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	bool is_found = false;
	int r;

	if (!d)
		return err_set(e, CNI_ERR_IO, errno, "read %s", dirs[plugin]);
	take_fd(&fd);
	while (!(r = dir_next(d, &entry)) && entry) {
		struct legacy found = { 0 };
		int64_t written;

		if (*entry->d_name == '.')
			continue;
		r = load(k->dir, entry->d_name, plugin, &found, &written, e);
		if (r == -ENOENT || r == -EBADMSG)
			continue;
		if (r)
			return r;
		if (strcmp(found.bdf, bdf) || (is_found && written <= k->written)) {
			legacy_done(&found);
			continue;
		}
		legacy_done(&k->legacy);
		k->legacy = found;
		k->written = written;
		strcpy(k->name, entry->d_name);
		is_found = true;
	}
	if (r)
		return err_set(e, CNI_ERR_IO, r, "read %s", dirs[plugin]);
	return is_found ? 0 : -ENOENT;
}

/* Has another of their attachments got the VF since? 1, 0, or code 5. */
static int is_superseded(const struct kept *k, enum plugin_name plugin, struct err *e)
{
	struct kept newest = { .dir = k->dir };
	int r = find_newest(plugin, k->legacy.bdf, &newest, e);

	legacy_done(&newest.legacy);
	if (r)
		return r == -ENOENT ? 0 : r;
	return newest.written > k->written;
}

/* Has one of ours? 1, 0, or code 5. */
static int is_ours(const struct attach_conf *conf, const char *bdf, struct err *e)
{
	static const char *const records[] = { RECORDS, RECORDS_RDMA };

	for (unsigned int i = 0; i < array_size(records); i++) {
		struct record record = { 0 };
		auto_close int store =
			record_store_open_named(conf->data_dir, records[i], false, e);
		int r = store < 0 ? store : record_load(store, bdf, &record, e);

		record_done(&record);
		if (r != -ENOENT)
			return !r || r == -EBADMSG ? 1 : r;
	}
	return 0;
}

/* pci/ADDRESS of sriov-cni: the namespace that has the VF, or "". Where it is not in use, none of them tells. */
static int read_netns(const char *bdf, char ret[PATH_MAX], struct err *e)
{
	auto_close int dir = dir_open(dirs[NAME_SRIOV], false);
	auto_close int pci = dir < 0 ? dir : dir_open_at(dir, "pci", false);
	int r = pci < 0 ? pci : (int)file_read_line(pci, bdf, ret, PATH_MAX);

	if (r >= 0)
		return 0;
	*ret = '\0';
	if (file_is_gone(r) || file_is_unfit(r))
		return 0;
	return err_set(e, CNI_ERR_IO, r, "read %s/pci/%s", dirs[NAME_SRIOV], bdf);
}

static void forget(const struct kept *k)
{
	auto_close int pci = dir_open_at(k->dir, "pci", false);

	if (pci >= 0)
		unlinkat(pci, k->legacy.bdf, 0);
}

/* With the call's namespace, or the one that they wrote down. An attachment's whose namespace is gone has id 0. */
static int identify_netns(const char *path, struct netns_id *ret, struct err *e)
{
	auto_close int ns = *path ? netns_open(path, e) : -ENOENT;

	*ret = (struct netns_id){ 0 };
	if (ns < 0)
		return netns_is_gone(ns) ? 0 : ns;
	return netns_id(ns, ret, e);
}

static int undo_kept(const struct cni_call *call, const struct kept *k, const char *netns,
		     bool release, struct err *e)
{
	static const struct vf_state nothing;
	json_auto_t *no_ipam = json_object();
	struct record record = { .pf = "",
				 .env = call->env,
				 .network = call->conf.name,
				 .conf = release ? k->legacy.root : no_ipam,
				 .before = k->legacy.before };
	bool lost = false;
	int r;

	strcpy(record.bdf, k->legacy.bdf);
	strcpy(record.want.name, call->env.ifname); /* a hint */
	record.env.netns = netns;
	r = identify_netns(netns, &record.netns_id, e);
	if (r)
		return r;
	if (!record.netns_id.ino && k->written < boot_time()) {
		log_info("VF %s: the state of %s is of an earlier boot", record.bdf, k->name);
		record.before = nothing;
	}
	r = way_back_undo(&record, &lost, e);
	return r ? r : lost;
}

static int damaged(const struct cni_call *call, const struct attach_conf *conf, int dir,
		   const char *name, const struct err *why, struct err *e)
{
	auto_close int store = record_store_open_named(conf->data_dir, conf->records, true, e);
	char aside[NAME_MAX + sizeof(".damaged")], bdf[PCI_ADDR_MAX];
	int r;

	log_warning("%s; it is set aside", why->msg);
	if (store < 0)
		return store;
	r = pci_addr_parse(conf->device_id, bdf)
		    ? 0
		    : way_back_without_record(store, bdf, call->env.netns, conf->name == NAME_RDMA,
					      e);
	snprintf(aside, sizeof(aside), "%s.damaged", name);
	if (!r && renameat(dir, name, dir, aside) && errno != ENOENT)
		r = err_set(e, CNI_ERR_IO, errno, "set %s aside", name);
	return r;
}

/* Under the VF's lock. */
static int undo_locked(const struct cni_call *call, const struct attach_conf *conf, struct kept *k,
		       struct err *e)
{
	char netns[PATH_MAX] = "";
	bool theirs;
	int r = is_ours(conf, k->legacy.bdf, e);

	if (!r)
		r = is_superseded(k, conf->name, e);
	if (r < 0)
		return r;
	theirs = !r;
	r = 0;
	if (!theirs)
		k->legacy.before = (struct vf_state){ 0 };
	else if (conf->name == NAME_IB_SRIOV)
		r = legacy_ib_complete(&k->legacy, e);
	if (r)
		return r;
	if (*call->env.netns)
		snprintf(netns, sizeof(netns), "%s", call->env.netns);
	else if (theirs && conf->name != NAME_IB_SRIOV)
		r = read_netns(k->legacy.bdf, netns, e);
	if (r)
		return r;
	/* the configuration of DEL says better what IPAM there is; the caller sees to it */
	r = undo_kept(call, k, netns, !call->conf.ipam, e);
	if (r) /* below 0 it failed; above, it is not home: then an ADD of the VF sees to it */
		return r < 0 ? r : 0;
	if (theirs && conf->name == NAME_SRIOV)
		forget(k);
	if (unlinkat(k->dir, k->name, 0) && errno != ENOENT)
		return err_set(e, CNI_ERR_IO, errno, "remove %s/%s", dirs[conf->name], k->name);
	log_info("VF %s: undid what %s attached", k->legacy.bdf, dirs[conf->name]);
	return 0;
}

int legacy_undo(const struct cni_call *call, const struct attach_conf *conf, struct err *e)
{
	auto_kept struct kept k = { .dir = -1 };
	auto_close int sysfs = -1, lock = -1;
	struct err why;
	int r;

	if (conf->name == NAME_OWN || !file_name(call, conf->name, k.name))
		return 0;
	r = open_kept(conf->name, &k, e);
	if (r)
		return r == -ENOENT ? 0 : r;
	r = load(k.dir, k.name, conf->name, &k.legacy, &k.written, &why);
	if (r == -EBADMSG)
		return damaged(call, conf, k.dir, k.name, &why, e);
	if (r == -ENOENT)
		return 0;
	if (r) {
		*e = why;
		return r;
	}
	sysfs = sysfs_open("/sys", e);
	if (sysfs < 0)
		return sysfs;
	lock = sysfs_pci_lock(sysfs, k.legacy.bdf, VF_LOCK_MS, e);
	if (lock < 0 && lock != -ENOENT)
		return lock;
	/* another call was faster */
	if (faccessat(k.dir, k.name, F_OK, AT_SYMLINK_NOFOLLOW) && errno == ENOENT)
		return 0;
	return undo_locked(call, conf, &k, e);
}

/* What is settled: an attachment whose pod is gone. Its address stays until DEL, which passes on to the IPAM plugin. */
static int settle(const struct cni_call *call, enum plugin_name plugin, struct kept *k,
		  struct err *e)
{
	int r = undo_kept(call, k, "", false, e);

	if (r < 0)
		err_prefix(e, "VF %s: repair what %s left behind", k->legacy.bdf, dirs[plugin]);
	if (r)
		return r < 0 ? r : 0;
	log_info("VF %s: repaired what %s/%s left behind", k->legacy.bdf, dirs[plugin], k->name);
	if (plugin == NAME_SRIOV)
		forget(k);
	unlinkat(k->dir, k->name, 0);
	return 1;
}

static int settle_sriov(const struct cni_call *call, const char *bdf, struct err *e)
{
	auto_kept struct kept k = { .dir = -1 };
	char netns[PATH_MAX] = "";
	struct netns_id id;
	int r = open_kept(NAME_SRIOV, &k, e);

	if (r)
		return r == -ENOENT ? 0 : r;
	r = read_netns(bdf, netns, e);
	if (!r && *netns)
		r = identify_netns(netns, &id, e);
	/* if it lives, where the VF is decides whether it can be had */
	if (r || !*netns || id.ino)
		return r;
	r = find_newest(NAME_SRIOV, bdf, &k, e);
	if (r && r != -ENOENT)
		return r;
	if (r) { /* they take their file away without this one */
		strcpy(k.legacy.bdf, bdf);
		forget(&k);
		return 0;
	}
	return settle(call, NAME_SRIOV, &k, e);
}

/* They write down no namespace; but of a VF that is home, none is left. */
static int settle_ib_sriov(const struct cni_call *call, const char *bdf, struct err *e)
{
	auto_kept struct kept k = { .dir = -1 };
	int r = open_kept(NAME_IB_SRIOV, &k, e);

	if (!r)
		r = find_newest(NAME_IB_SRIOV, bdf, &k, e);
	if (r)
		return r == -ENOENT ? 0 : r;
	r = legacy_ib_is_home(bdf, e);
	if (r <= 0)
		return r;
	r = legacy_ib_complete(&k.legacy, e);
	return r ? r : settle(call, NAME_IB_SRIOV, &k, e);
}

int legacy_settle(const struct cni_call *call, const char *bdf, struct err *e)
{
	int r = settle_sriov(call, bdf, e);

	return r ? r : settle_ib_sriov(call, bdf, e);
}
