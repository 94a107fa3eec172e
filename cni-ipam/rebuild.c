/* SPDX-License-Identifier: Apache-2.0 */
#include "rebuild.h"

#include "pool.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "cni/env.h"
#include "cni/result.h"
#include "kernel/netns.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <jansson.h>
#include <limits.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define ATTACHMENTS_DIR "/var/lib/cni/cni-sriov-rdma/attachments"
#define NETNS_DIR	"/var/run/netns"
#define DOCUMENT_MAX	((size_t)4 << 20)

static const char *const cache_dirs[] = { "/var/lib/cni/results", "/var/lib/cni/multus/results" };

struct rebuild {
	const char *boot;
	int64_t boot_time; /* of the wall clock, seconds: what was written before is of an earlier boot */
	store_lease_fn *sink;
	void *arg;
	struct lease lease; /* the next one that is told */
	char pod[2 * NAME_MAX]; /* the lease's */
};

static int tell(struct rebuild *rebuild, const struct inet_addr *a, struct err *e)
{
	int r;

	rebuild->lease.addr = *a;
	r = rebuild->sink(&rebuild->lease, rebuild->arg, e);
	rebuild->lease
		.slot++; /* owners' numbers are unique, also where two sources tell of one owner */
	return r;
}

static void begin(struct rebuild *rebuild, const char *network, const char *cid, const char *ifname)
{
	rebuild->lease = (struct lease){
		.owner = { network, cid, ifname },
		.slot = rebuild->lease.slot,
		.held = true,
		.since = clock_ms(),
		.cooldown_s = COOLDOWN_DEFAULT_S,
		.pool = "",
		.pod = "",
		.uid = "",
		.netns = "",
	};
}

static int tell_result(struct rebuild *rebuild, json_t *json, const char *path, struct err *e)
{
	auto_cni_result struct cni_result result = { 0 };
	struct err why = { 0 };
	int r = 0;

	if (cni_result_parse(json, CNI_VERSION_NEWEST, &result, &why)) {
		log_warning("%s: %s; its addresses are looked for in its namespace", path, why.msg);
		return 0;
	}
	for (size_t i = 0; !r && i < result.ip_count; i++)
		r = tell(rebuild, &result.ips[i].address.addr, e);
	return r;
}

/* A file of the directory: a JSON object, or NULL when it is damaged. */
typedef int document_fn(struct rebuild *rebuild, int dir, const char *name, json_t *doc,
			const char *path, struct err *e);

static int next_entry(DIR *dir, const char *path, const struct dirent **ret, struct err *e)
{
	int r = dir_next(dir, ret);

	return r ? err_set(e, CNI_ERR_IO, r, "read %s", path) : 0;
}

static int each_document(struct rebuild *rebuild, const char *dir_path, document_fn *fn,
			 struct err *e)
{
	int fd = open(dir_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_closedir DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int r = 0;

	if (!dir)
		return errno == ENOENT ? 0 : err_set(e, CNI_ERR_IO, errno, "read %s", dir_path);
	while (!r && !(r = next_entry(dir, dir_path, &entry, e)) && entry) {
		json_auto_t *doc = NULL;
		auto_free char *text = NULL;
		char path[PATH_MAX];
		size_t len;
		int read;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir_path, entry->d_name);
		read = file_read(fd, entry->d_name, DOCUMENT_MAX, &text, &len);
		if (read && !file_is_gone(read) && !file_is_unfit(read))
			return err_set(e, CNI_ERR_IO, read, "read %s", path);
		if (!read)
			doc = json_loadb(text, len, 0, NULL);
		if (json_is_object(doc))
			r = fn(rebuild, fd, entry->d_name, doc, path, e);
		else
			log_warning("%s is damaged; its addresses are looked for in its namespace",
				    path);
	}
	return r;
}

static int tell_record(struct rebuild *rebuild, int dir, const char *file, json_t *doc,
		       const char *path, struct err *e)
{
	const char *boot, *network, *cid, *ifname, *netns = "", *args = "";
	json_int_t dev = 0, ino = 0;
	struct cni_env env = { 0 };

	(void)dir;
	(void)file;
	if (json_unpack(doc, "{s:s, s:s, s:s, s:s}", "bootId", &boot, "network", &network,
			"containerId", &cid, "ifname", &ifname)) {
		log_warning("%s is no record; its addresses are looked for in its namespace", path);
		return 0;
	}
	if (strcmp(boot, rebuild->boot) != 0)
		return 0;
	json_unpack(doc, "{s?s, s?s, s?{s?I, s?I}}", "netns", &netns, "cniArgs", &args, "netnsId",
		    "dev", &dev, "ino", &ino);
	begin(rebuild, network, cid, ifname);
	env.args = args;
	if (cni_env_pod(&env, rebuild->pod, sizeof(rebuild->pod)))
		rebuild->lease.pod = rebuild->pod;
	rebuild->lease.netns = netns;
	rebuild->lease.netns_dev = (uint64_t)dev;
	rebuild->lease.netns_ino = (uint64_t)ino;
	if (!json_is_object(json_object_get(doc, "result"))) /* its ADD is not done */
		return 0;
	return tell_result(rebuild, json_object_get(doc, "result"), path, e);
}

/* libcni's cacheInfo (containernetworking/cni, libcni/api.go) */
static int tell_cached(struct rebuild *rebuild, int dir, const char *name, json_t *doc,
		       const char *path, struct err *e)
{
	const char *network, *cid, *ifname, *netns = "";
	json_t *result;
	struct stat st;

	if (json_unpack(doc, "{s:s, s:s, s:s, s:o}", "networkName", &network, "containerId", &cid,
			"ifName", &ifname, "result", &result))
		return 0;
	/* a minute, as the clock may have been set since the boot */
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : err_set(e, CNI_ERR_IO, errno, "look at %s", path);
	if (st.st_mtim.tv_sec < rebuild->boot_time - 60)
		return 0;
	json_unpack(doc, "{s?s}", "netns", &netns);
	begin(rebuild, network, cid, ifname);
	rebuild->lease.netns = netns;
	if (!stat(netns, &st)) {
		rebuild->lease.netns_dev = st.st_dev;
		rebuild->lease.netns_ino = st.st_ino;
	}
	return tell_result(rebuild, result, path, e);
}

static bool is_given_out(const struct ifaddrs *i, struct inet_addr *ret)
{
	struct inet_addr a = { 0 };

	if (!i->ifa_addr || (i->ifa_flags & IFF_LOOPBACK))
		return false;
	a.family = i->ifa_addr->sa_family;
	if (a.family == AF_INET) {
		const struct sockaddr_in *in = (const void *)i->ifa_addr;

		memcpy(a.bytes, &in->sin_addr, 4);
	} else if (a.family == AF_INET6) {
		const struct sockaddr_in6 *in = (const void *)i->ifa_addr;

		if (IN6_IS_ADDR_LINKLOCAL(&in->sin6_addr))
			return false;
		memcpy(a.bytes, &in->sin6_addr, 16);
	} else {
		return false;
	}
	*ret = a;
	return true;
}

/* The addresses of the namespace that the thread is in. */
static int tell_addresses(struct rebuild *rebuild, const char *name, const char *path,
			  const struct netns_id *id, struct err *e)
{
	struct ifaddrs *list, *i;
	struct inet_addr a;
	int r = 0;

	if (getifaddrs(&list))
		return err_set(e, CNI_ERR_IO, errno, "list the addresses in %s", path);
	for (i = list; !r && i; i = i->ifa_next) {
		if (!is_given_out(i, &a))
			continue;
		begin(rebuild, "", name, i->ifa_name); /* no network has an empty name */
		rebuild->lease.netns = path;
		rebuild->lease.netns_dev = id->dev;
		rebuild->lease.netns_ino = id->ino;
		r = tell(rebuild, &a, e);
	}
	freeifaddrs(list);
	return r;
}

static int tell_namespace(struct rebuild *rebuild, int own, const char *name, struct err *e)
{
	char path[PATH_MAX];
	struct netns_id id;
	struct err ignored = { 0 };
	auto_close int ns = -1;
	int r, back;

	snprintf(path, sizeof(path), NETNS_DIR "/%s", name);
	ns = netns_open(path, &ignored);
	if (netns_is_gone(ns)) /* its mount is gone, and with it the namespace */
		return 0;
	if (ns < 0)
		return err_set(e, CNI_ERR_IO, ns, "look into %s", path);
	r = netns_id(ns, &id, e);
	r = r ?: netns_enter(ns, e);
	if (r)
		return r;
	r = tell_addresses(rebuild, name, path, &id, e);
	back = netns_enter(own, r ? &ignored : e);
	return r ? r : back;
}

static int tell_namespaces(struct rebuild *rebuild, struct err *e)
{
	auto_closedir DIR *dir = opendir(NETNS_DIR);
	auto_close int own = -1;
	const struct dirent *entry;
	int r = 0;

	if (!dir)
		return errno == ENOENT ? 0 : err_set(e, CNI_ERR_IO, errno, "read " NETNS_DIR);
	own = netns_open_own(e);
	if (own < 0)
		return own;
	while (!r && !(r = next_entry(dir, NETNS_DIR, &entry, e)) && entry)
		if (entry->d_name[0] != '.')
			r = tell_namespace(rebuild, own, entry->d_name, e);
	return r;
}

int rebuild_leases(const char *boot, store_lease_fn *sink, void *arg, struct err *e)
{
	struct rebuild rebuild = { .boot = boot, .sink = sink, .arg = arg };
	struct timespec wall, since_boot;
	int r;

	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_BOOTTIME, &since_boot);
	rebuild.boot_time = wall.tv_sec - since_boot.tv_sec;
	r = each_document(&rebuild, ATTACHMENTS_DIR, tell_record, e);
	for (size_t i = 0; !r && i < array_size(cache_dirs); i++)
		r = each_document(&rebuild, cache_dirs[i], tell_cached, e);
	return r ? r : tell_namespaces(&rebuild, e);
}
