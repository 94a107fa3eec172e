/* SPDX-License-Identifier: Apache-2.0 */
#include "pod.h"

#include "nl.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <rdma/rdma_netlink.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

unsigned int if_nametoindex(const char *name); /* net/if.h and linux/if.h cannot both be included */

static void pod_path(char buf[128], const char *name)
{
	snprintf(buf, 128, POD_DIR "/%s", name);
}

static void die(const char *what)
{
	perror(what);
	exit(3);
}

static int enter(const char *name)
{
	int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), ns;
	char path[128];

	pod_path(path, name);
	ns = open(path, O_RDONLY | O_CLOEXEC);
	if (own < 0 || ns < 0 || setns(ns, CLONE_NEWNET))
		die(path);
	close(ns);
	return own;
}

static void leave(int own)
{
	if (setns(own, CLONE_NEWNET))
		die("setns");
	close(own);
}

void pod_add(const char *name)
{
	int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), fd;
	char path[128];

	pod_path(path, name);
	mkdir(POD_DIR, 0755);
	fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (own < 0 || fd < 0)
		die(path);
	close(fd);
	if (unshare(CLONE_NEWNET) || mount("/proc/self/ns/net", path, "none", MS_BIND, NULL))
		die("new namespace");
	leave(own);
}

void pod_del(const char *name)
{
	char path[128];

	pod_path(path, name);
	umount2(path, MNT_DETACH);
	unlink(path);
}

static bool matches(const char *bdf, const char *what)
{
	char pattern[128];
	glob_t g;
	bool there;

	snprintf(pattern, sizeof(pattern), "/sys/bus/pci/devices/%s/%s", bdf, what);
	there = !glob(pattern, 0, NULL, &g);
	if (there)
		globfree(&g);
	return there;
}

bool pod_await_home(const char *bdf, bool has_rdma)
{
	if (!matches(bdf, "driver")) /* a plugin was killed while it bound it anew */
		return true;
	for (int i = 0; i < 1000; i++) {
		if (matches(bdf, "net/*") && (!has_rdma || matches(bdf, "infiniband/*")))
			return true;
		usleep(10000);
	}
	return false;
}

static void tell(const char *what, int r)
{
	if (r)
		fprintf(stderr, "tampering: %s: %s\n", what, strerror(-r));
}

static void set_link(int fd, unsigned int ifindex, const char *what, int attr, const void *data,
		     size_t len, unsigned int flags)
{
	struct ifinfomsg info = {
		.ifi_index = (int)ifindex,
		.ifi_flags = flags,
		.ifi_change = flags,
	};
	struct nl_msg m;

	nl_begin(&m, RTM_NEWLINK, 0, &info, sizeof(info));
	if (attr)
		nl_put(&m, attr, data, len);
	tell(what, nl_ask(fd, &m, NULL, NULL));
}

static void change_altname(int fd, unsigned int ifindex, int type, int flags, const char *name)
{
	struct ifinfomsg info = { .ifi_index = (int)ifindex };
	struct nlattr *list;
	struct nl_msg m;

	nl_begin(&m, type, flags, &info, sizeof(info));
	list = nl_nest(&m, IFLA_PROP_LIST);
	nl_put_text(&m, IFLA_ALT_IFNAME, name);
	nl_end(&m, list);
	tell(name, nl_ask(fd, &m, NULL, NULL));
}

struct names {
	unsigned int count;
	char list[8][128];
};

static void keep_altnames(const struct nlmsghdr *h, void *arg)
{
	const struct ifinfomsg *info = NLMSG_DATA(h);
	const struct nlattr *a,
		*list = nl_find(info + 1, h->nlmsg_len - NLMSG_LENGTH(sizeof(*info)),
				IFLA_PROP_LIST);
	struct names *names = arg;
	size_t at = 0;

	while (list && names->count < 8 && (a = nl_next(nl_data(list), nl_len(list), &at)))
		snprintf(names->list[names->count++], 128, "%s", (const char *)nl_data(a));
}

/* Take all there are, and add two. */
static void tamper_altnames(int fd, unsigned int ifindex)
{
	struct ifinfomsg info = { .ifi_index = (int)ifindex };
	struct names names = { 0 };
	struct nl_msg m;

	nl_begin(&m, RTM_GETLINK, 0, &info, sizeof(info));
	nl_ask(fd, &m, keep_altnames, &names);
	for (unsigned int i = 0; i < names.count; i++)
		change_altname(fd, ifindex, RTM_DELLINKPROP, 0, names.list[i]);
	change_altname(fd, ifindex, RTM_NEWLINKPROP, NLM_F_CREATE | NLM_F_EXCL | NLM_F_APPEND,
		       "tampered-one");
	change_altname(fd, ifindex, RTM_NEWLINKPROP, NLM_F_CREATE | NLM_F_EXCL | NLM_F_APPEND,
		       "tampered-two");
}

static void keep_index(const struct nlmsghdr *h, void *arg)
{
	const struct nlattr *a =
		nl_find(NLMSG_DATA(h), h->nlmsg_len - NLMSG_HDRLEN, RDMA_NLDEV_ATTR_DEV_INDEX);

	if (a)
		memcpy(arg, nl_data(a), sizeof(uint32_t));
}

static void tamper_rdma(int fd)
{
	uint32_t index = UINT32_MAX;
	struct nl_msg m;

	nl_begin(&m, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET), NLM_F_DUMP, "", 0);
	nl_ask(fd, &m, keep_index, &index);
	if (index == UINT32_MAX)
		return;
	nl_begin(&m, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_SET), 0, "", 0);
	nl_put_u32(&m, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	nl_put_text(&m, RDMA_NLDEV_ATTR_DEV_NAME, "tampered_0");
	tell("RDMA device's name", nl_ask(fd, &m, NULL, NULL));
}

static void keep_type(const struct nlmsghdr *h, void *arg)
{
	const struct ifinfomsg *info = NLMSG_DATA(h);

	if (h->nlmsg_type == RTM_NEWLINK)
		*(unsigned short *)arg = info->ifi_type;
}

static bool is_ipoib(int fd, unsigned int ifindex)
{
	struct ifinfomsg info = { .ifi_index = (int)ifindex };
	unsigned short type = 0;
	struct nl_msg m;

	nl_begin(&m, RTM_GETLINK, 0, &info, sizeof(info));
	nl_ask(fd, &m, keep_type, &type);
	return type == ARPHRD_INFINIBAND;
}

void pod_tamper(const char *name, const char *ifname)
{
	static const unsigned char mac[6] = { 0x02, 0xba, 0xdb, 0xad, 0xba, 0xd0 };
	const uint32_t mtu = 1400, txqlen = 77, group = 7;
	int own = enter(name), rtnl = nl_open(NETLINK_ROUTE, -1), rdma = nl_open(NETLINK_RDMA, -1);
	unsigned int ifindex = if_nametoindex(ifname);

	leave(own);
	if (!is_ipoib(rtnl, ifindex)) /* whose VFs refuse it */
		set_link(rtnl, ifindex, "mac", IFLA_ADDRESS, mac, sizeof(mac), 0);
	set_link(rtnl, ifindex, "mtu", IFLA_MTU, &mtu, sizeof(mtu), 0);
	set_link(rtnl, ifindex, "txqlen", IFLA_TXQLEN, &txqlen, sizeof(txqlen), 0);
	set_link(rtnl, ifindex, "group", IFLA_GROUP, &group, sizeof(group), 0);
	set_link(rtnl, ifindex, "alias", IFLA_IFALIAS, "tampered", 8, 0);
	set_link(rtnl, ifindex, "flags", 0, "", 0,
		 IFF_PROMISC | IFF_ALLMULTI | IFF_NOARP | IFF_DEBUG);
	set_link(rtnl, ifindex, "name", IFLA_IFNAME, "tampered0", sizeof("tampered0"), 0);
	tamper_altnames(rtnl, ifindex);
	tamper_rdma(rdma);
	close(rtnl);
	close(rdma);
}
