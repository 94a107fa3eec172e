/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/sysfs_rdma.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/number.h"
#include "kernel/sysfs_path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define EMPTY_GIDS 64 /* so many in a row, and the rest is taken for empty, too */

struct rdma_search {
	int sysfs;
	const char *bdf;
	const char *parent; /* below which is searched; "" = the function */
	char dir[SYSFS_PATH_MAX]; /* the directory that is read, relative to sysfs */
	struct sysfs_rdma *ret;
	unsigned int max, count;
};

static struct sysfs_rdma *rdma_add(struct rdma_search *search, const char *name)
{
	struct sysfs_rdma *dev;

	for (unsigned int i = 0; i < search->count && i < search->max; i++)
		if (!strcmp(search->ret[i].name, name))
			return &search->ret[i];
	search->count++;
	if (search->count > search->max)
		return NULL;
	dev = &search->ret[search->count - 1];
	*dev = (struct sysfs_rdma){ .uverbs = -1 };
	snprintf(dev->name, sizeof(dev->name), "%s", name);
	snprintf(dev->parent, sizeof(dev->parent), "%s", search->parent);
	return dev;
}

static int add_from_uverbs(const char *name, void *arg)
{
	struct rdma_search *search = arg;
	char path[SYSFS_PATH_MAX], ibdev[SYSFS_NAME_MAX];
	struct sysfs_rdma *dev;
	uint64_t number;
	ssize_t n;

	if (strncmp(name, "uverbs", 6) || number_parse(name + 6, INT_MAX, &number))
		return 0;
	if (snprintf(path, sizeof(path), "%s/%s/ibdev", search->dir, name) >= SYSFS_PATH_MAX)
		return -ENAMETOOLONG;
	n = file_read_line(search->sysfs, path, ibdev, sizeof(ibdev));
	if (n <= 0) /* it may have gone since the directory was read */
		return file_is_gone((int)n) ? 0 : (int)n;
	dev = rdma_add(search, ibdev);
	if (dev)
		dev->uverbs = (int)number;
	return 0;
}

static int add_from_infiniband(const char *name, void *arg)
{
	struct sysfs_rdma *dev = rdma_add(arg, name);

	if (dev)
		dev->here = true;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct sysfs_rdma *)a)->name, ((const struct sysfs_rdma *)b)->name);
}

/* The RDMA devices right below the function, or below one of its auxiliary devices. */
static int search_below(struct rdma_search *search, const char *parent)
{
	int r;

	search->parent = parent;
	/* first infiniband_verbs, which also shows those in other namespaces */
	r = sysfs_device_path(search->dir, search->bdf, "/%s/infiniband_verbs", parent);
	r = r ?: sysfs_for_each(search->sysfs, search->dir, add_from_uverbs, search);
	if (r && r != -ENOENT)
		return r;
	/* without ib_uverbs, this is all there is */
	r = sysfs_device_path(search->dir, search->bdf, "/%s/infiniband", parent);
	r = r ?: sysfs_for_each(search->sysfs, search->dir, add_from_infiniband, search);
	return r == -ENOENT ? 0 : r;
}

/* MODULE.KIND.NUMBER (drivers/base/auxiliary.c), on the auxiliary bus. */
static int add_from_auxiliary(const char *name, void *arg)
{
	struct rdma_search *search = arg;
	char path[SYSFS_PATH_MAX], bus[SYSFS_NAME_MAX];
	const char *dot = strchr(name, '.');
	int r;

	if (!dot || !strchr(dot + 1, '.') || strlen(name) >= SYSFS_NAME_MAX ||
	    sysfs_device_path(path, search->bdf, "/%s/subsystem", name))
		return 0;
	r = sysfs_link_base(search->sysfs, path, bus, sizeof(bus));
	if (r) /* not a directory, or not a device's, or it has gone */
		return file_is_gone(r) || file_is_unfit(r) ? 0 : r;
	return strcmp(bus, "auxiliary") ? 0 : search_below(search, name);
}

int sysfs_pci_rdma(int sysfs, const char *bdf, struct sysfs_rdma *ret, unsigned int max)
{
	struct rdma_search search = { .sysfs = sysfs, .bdf = bdf, .ret = ret, .max = max };
	char path[SYSFS_PATH_MAX];
	int r = search_below(&search, "");

	sysfs_device_path(path, bdf, "%s", "");
	r = r ?: sysfs_for_each(sysfs, path, add_from_auxiliary, &search);
	if (r && r != -ENOENT)
		return r;
	qsort(ret, search.count < max ? search.count : max, sizeof(*ret), by_name);
	return (int)search.count;
}

/* Which uverbsN is that device's? */
struct uverbs_search {
	int sysfs;
	const char *dev;
	uint64_t number;
};

static int match_uverbs(const char *name, void *arg)
{
	struct uverbs_search *search = arg;
	char path[SYSFS_PATH_MAX], ibdev[SYSFS_NAME_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "class/infiniband_verbs/%s/ibdev", name);
	if (strncmp(name, "uverbs", 6) || number_parse(name + 6, INT_MAX, &search->number))
		return 0;
	n = file_read_line(search->sysfs, path, ibdev, sizeof(ibdev));
	if (n <= 0)
		return file_is_gone((int)n) ? 0 : (int)n;
	return !strcmp(ibdev, search->dev);
}

/* The last PCI address in the path of a device; an auxiliary device may follow it. */
static void last_pci_addr(char *path, char ret[PCI_ADDR_MAX])
{
	char *rest = NULL;

	ret[0] = '\0';
	for (char *part = strtok_r(path, "/", &rest); part; part = strtok_r(NULL, "/", &rest))
		pci_addr_parse(part, ret);
}

int sysfs_rdma_owner(int sysfs, const char *dev, char ret_bdf[PCI_ADDR_MAX], int *ret_uverbs)
{
	struct uverbs_search search = { .sysfs = sysfs, .dev = dev };
	int r = sysfs_for_each(sysfs, "class/infiniband_verbs", match_uverbs, &search);
	char path[PATH_MAX], target[PATH_MAX];
	ssize_t n;

	if (r <= 0)
		return r ? r : -ENOENT;
	snprintf(path, sizeof(path), "class/infiniband_verbs/uverbs%d", (int)search.number);
	n = readlinkat(sysfs, path, target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = '\0';
	last_pci_addr(target, ret_bdf);
	*ret_uverbs = (int)search.number;
	return 0;
}

int sysfs_rdma_lock(int sysfs, unsigned int timeout_ms, struct err *e)
{
	return lock_take_dir(sysfs, "class/infiniband", timeout_ms, e);
}

int sysfs_rdma_port_state(int sysfs, const char *dev, unsigned int port, char ret[SYSFS_NAME_MAX])
{
	char path[PATH_MAX], line[SYSFS_NAME_MAX];
	const char *name;
	ssize_t n;

	snprintf(path, sizeof(path), "class/infiniband/%s/ports/%u/state", dev, port);
	n = file_read_line(sysfs, path, line, sizeof(line));
	if (n < 0)
		return (int)n;
	name = strstr(line, ": "); /* "4: ACTIVE" */
	strcpy(ret, name ? name + 2 : line);
	return 0;
}

/* As the kernel prints a GID (drivers/infiniband/core/sysfs.c): eight groups of four digits. */
static void gid_format(const struct inet_addr *a, char ret[40])
{
	uint8_t gid[16] = {
		[10] = 0xff, [11] = 0xff
	}; /* IPv4-mapped: RFC 4291, 2.5.5.2, and IBTA annex A17 */

	if (a->family == AF_INET)
		memcpy(gid + 12, a->bytes, 4);
	else
		memcpy(gid, a->bytes, 16);
	for (unsigned int i = 0; i < 8; i++)
		sprintf(ret + i * 5, i < 7 ? "%02x%02x:" : "%02x%02x", gid[i * 2], gid[i * 2 + 1]);
}

/* One slot's line of a table. An empty slot's GID reads as zeros, or gives EINVAL. */
static int read_slot(int sysfs, const char *dev, unsigned int port, const char *table,
		     unsigned int index, char ret[SYSFS_NAME_MAX])
{
	char path[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "class/infiniband/%s/ports/%u/%s/%u", dev, port, table, index);
	n = file_read_line(sysfs, path, ret, SYSFS_NAME_MAX);
	if (n == -EINVAL)
		n = 0;
	if (n >= 0)
		ret[n] = '\0';
	return n < 0 ? (int)n : 0;
}

static bool slot_is(int sysfs, const char *dev, unsigned int port, const char *table,
		    unsigned int index, const char *value)
{
	char line[SYSFS_NAME_MAX];

	return !read_slot(sysfs, dev, port, table, index, line) && !strcmp(line, value);
}

/*
 * By number, since a new GID gets the lowest free slot (drivers/infiniband/core/cache.c, find_gid): of a table's 128 to
 * 1,024 slots few are used, and they are in front.
 */
int sysfs_rdma_gid_find(int sysfs, const char *dev, unsigned int port,
			const struct inet_addr *address, const char *ifname)
{
	char gid[40], line[SYSFS_NAME_MAX];
	int r;

	gid_format(address, gid);
	for (unsigned int index = 0, empty = 0; empty < EMPTY_GIDS; index++) {
		r = read_slot(sysfs, dev, port, "gids", index, line);
		if (r)
			return r;
		empty = line[strspn(line, "0:")] ? 0 : empty + 1;
		if (!strcmp(line, gid) &&
		    slot_is(sysfs, dev, port, "gid_attrs/types", index, "RoCE v2") &&
		    slot_is(sysfs, dev, port, "gid_attrs/ndevs", index, ifname))
			return (int)index;
	}
	return -ENOENT;
}

int sysfs_rdma_link_layer(int sysfs, const char *dev, unsigned int port, bool *ret_ethernet)
{
	char path[PATH_MAX], line[SYSFS_NAME_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "class/infiniband/%s/ports/%u/link_layer", dev, port);
	n = file_read_line(sysfs, path, line, sizeof(line));
	if (n < 0)
		return (int)n;
	*ret_ethernet = !strcmp(line, "Ethernet");
	return 0;
}
