/* SPDX-License-Identifier: Apache-2.0 */
#include "state.h"

#include "nl.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <rdma/rdma_netlink.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ALTNAMES_MAX 32

enum { GSO_IPV4_MAX_SIZE = 63, GRO_IPV4_MAX_SIZE }; /* of linux/if_link.h since 6.3 */

struct reading {
	struct state *s;
	const char *ns; /* "host" or a pod's name */
};

void state_add(struct state *s, const char *key, const char *fmt, ...)
{
	struct fact *f;
	va_list ap;

	if (s->count == s->size) {
		s->size = s->size ? 2 * s->size : 256;
		s->facts = reallocarray(s->facts, s->size, sizeof(*s->facts));
		if (!s->facts)
			abort();
	}
	f = &s->facts[s->count++];
	snprintf(f->key, sizeof(f->key), "%s", key);
	va_start(ap, fmt);
	vsnprintf(f->value, sizeof(f->value), fmt, ap);
	va_end(ap);
}

/* --- network interfaces ------------------------------------------------------------------------------------- */

static void format_mac(const uint8_t *mac, char buf[18])
{
	snprintf(buf, 18, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4],
		 mac[5]);
}

static void add_of(struct state *s, const char *bdf, const char *what, const char *value)
{
	char key[96];

	snprintf(key, sizeof(key), "%.40s %.40s", bdf, what);
	state_add(s, key, "%s", value);
}

static void add_number(struct state *s, const char *bdf, const char *what, const struct nlattr *a)
{
	uint32_t value;
	char text[16];

	if (!a || nl_len(a) < sizeof(value))
		return;
	memcpy(&value, nl_data(a), sizeof(value));
	snprintf(text, sizeof(text), "%u", value);
	add_of(s, bdf, what, text);
}

static int compare_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_altnames(struct state *s, const char *bdf, const struct nlattr *list)
{
	const char *names[ALTNAMES_MAX] = { 0 };
	const struct nlattr *a;
	size_t at = 0, n = 0, used = 0;
	char text[320] = "";

	while (list && n < ALTNAMES_MAX && (a = nl_next(nl_data(list), nl_len(list), &at)))
		if ((a->nla_type & NLA_TYPE_MASK) == IFLA_ALT_IFNAME)
			names[n++] = nl_data(a);
	qsort(names, n, sizeof(names[0]), compare_text);
	for (size_t i = 0; i < n && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s ", names[i]);
	add_of(s, bdf, "altnames", text);
}

/* Copied out: attributes begin at a multiple of 4, and this one has a number of 8 bytes. */
static void add_guid(struct state *s, const char *of, const char *what, const void *data)
{
	struct ifla_vf_guid guid;
	char text[20];

	if (!data)
		return;
	memcpy(&guid, data, sizeof(guid));
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)guid.guid);
	add_of(s, of, what, text);
}

#define VALUE(type, list, attr) \
	const type *attr##_ = (a = nl_find(nl_data(list), nl_len(list), attr)) ? nl_data(a) : NULL

/* One IFLA_VF_INFO. */
static void add_vf(struct state *s, const char *pf, const struct nlattr *vf)
{
	const struct nlattr *a, *vlans = nl_find(nl_data(vf), nl_len(vf), IFLA_VF_VLAN_LIST);
	VALUE(struct ifla_vf_mac, vf, IFLA_VF_MAC);
	VALUE(struct ifla_vf_rate, vf, IFLA_VF_RATE);
	VALUE(struct ifla_vf_spoofchk, vf, IFLA_VF_SPOOFCHK);
	VALUE(struct ifla_vf_trust, vf, IFLA_VF_TRUST);
	VALUE(struct ifla_vf_link_state, vf, IFLA_VF_LINK_STATE);
	VALUE(struct ifla_vf_guid, vf, IFLA_VF_IB_NODE_GUID);
	VALUE(struct ifla_vf_guid, vf, IFLA_VF_IB_PORT_GUID);
	char of[80], text[64];

	if (!IFLA_VF_MAC_)
		return;
	snprintf(of, sizeof(of), "%.40s vf%u", pf, IFLA_VF_MAC_->vf);
	format_mac(IFLA_VF_MAC_->mac, text);
	add_of(s, of, "mac", text);
	if (vlans) {
		VALUE(struct ifla_vf_vlan_info, vlans, IFLA_VF_VLAN_INFO);

		snprintf(text, sizeof(text), "%u %#x", IFLA_VF_VLAN_INFO_->vlan,
			 ntohs(IFLA_VF_VLAN_INFO_->vlan_proto));
		add_of(s, of, "vlan", text);
		snprintf(text, sizeof(text), "%u", IFLA_VF_VLAN_INFO_->qos);
		add_of(s, of, "qos", text);
	}
	if (IFLA_VF_RATE_) {
		snprintf(text, sizeof(text), "%u", IFLA_VF_RATE_->max_tx_rate);
		add_of(s, of, "max_tx_rate", text);
		snprintf(text, sizeof(text), "%u", IFLA_VF_RATE_->min_tx_rate);
		add_of(s, of, "min_tx_rate", text);
	}
	if (IFLA_VF_SPOOFCHK_)
		add_of(s, of, "spoofchk", IFLA_VF_SPOOFCHK_->setting ? "on" : "off");
	if (IFLA_VF_TRUST_)
		add_of(s, of, "trust", IFLA_VF_TRUST_->setting ? "on" : "off");
	if (IFLA_VF_LINK_STATE_) {
		snprintf(text, sizeof(text), "%u", IFLA_VF_LINK_STATE_->link_state);
		add_of(s, of, "link_state", text);
	}
	add_guid(s, of, "node_guid", IFLA_VF_IB_NODE_GUID_);
	add_guid(s, of, "port_guid", IFLA_VF_IB_PORT_GUID_);
}

static void add_link(const struct nlmsghdr *h, void *arg)
{
	static const struct {
		int attr;
		const char *name;
	} numbers[] = {
		{ IFLA_MTU, "mtu" },
		{ IFLA_TXQLEN, "txqlen" },
		{ IFLA_GROUP, "group" },
		{ IFLA_PROMISCUITY, "promiscuity" },
		{ IFLA_ALLMULTI, "allmulti" },
		{ IFLA_GSO_MAX_SIZE, "gso_max_size" },
		{ IFLA_GSO_MAX_SEGS, "gso_max_segs" },
		{ IFLA_GRO_MAX_SIZE, "gro_max_size" },
		{ GSO_IPV4_MAX_SIZE, "gso_ipv4_max_size" },
		{ GRO_IPV4_MAX_SIZE, "gro_ipv4_max_size" },
	};
	/* what the kernel says of the link's state, and what follows from the other flags */
	const unsigned int left_out = IFF_RUNNING | IFF_LOWER_UP | IFF_DORMANT;
	const struct ifinfomsg *info = NLMSG_DATA(h);
	const void *data = (const char *)info + NLMSG_ALIGN(sizeof(*info));
	size_t len = h->nlmsg_len - NLMSG_LENGTH(sizeof(*info)), at = 0;
	const struct nlattr *a, *vfs, *parent = nl_find(data, len, IFLA_PARENT_DEV_NAME);
	const struct reading *r = arg;
	const char *bdf;
	char text[32];

	if (h->nlmsg_type != RTM_NEWLINK || !parent)
		return;
	bdf = nl_data(parent);
	add_of(r->s, bdf, "netns", r->ns);
	a = nl_find(data, len, IFLA_IFNAME);
	add_of(r->s, bdf, "name", a ? nl_data(a) : "");
	a = nl_find(data, len, IFLA_IFALIAS);
	add_of(r->s, bdf, "alias", a ? nl_data(a) : "");
	a = nl_find(data, len, IFLA_ADDRESS);
	if (a && nl_len(a) == 6) {
		format_mac(nl_data(a), text);
		add_of(r->s, bdf, "mac", text);
	}
	if (a &&
	    nl_len(a) == 20) { /* IPoIB's is another one each time, but for the GUID at its end */
		const uint8_t *guid = (const uint8_t *)nl_data(a) + 12;

		for (size_t i = 0; i < 8; i++)
			sprintf(text + 2 * i, "%02x", guid[i]);
		add_of(r->s, bdf, "mac", text);
	}
	snprintf(text, sizeof(text), "%#x", info->ifi_flags & ~left_out);
	add_of(r->s, bdf, "flags", text);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		add_number(r->s, bdf, numbers[i].name, nl_find(data, len, numbers[i].attr));
	add_altnames(r->s, bdf, nl_find(data, len, IFLA_PROP_LIST));
	vfs = nl_find(data, len, IFLA_VFINFO_LIST);
	while (vfs && (a = nl_next(nl_data(vfs), nl_len(vfs), &at)))
		add_vf(r->s, bdf, a);
}

static void add_links(struct reading *r, int ns)
{
	struct ifinfomsg info = { .ifi_family = AF_UNSPEC };
	int fd = nl_open(NETLINK_ROUTE, ns);
	struct nl_msg m;

	nl_begin(&m, RTM_GETLINK, NLM_F_DUMP, &info, sizeof(info));
	nl_put_u32(&m, IFLA_EXT_MASK, RTEXT_FILTER_VF | RTEXT_FILTER_SKIP_STATS);
	if (fd < 0 || nl_ask(fd, &m, add_link, r))
		state_add(r->s, "error", "links of %s cannot be read", r->ns);
	if (fd >= 0)
		close(fd);
}

/* --- RDMA ------------------------------------------------------------------------------------------------------ */

static void add_rdma_dev(const struct nlmsghdr *h, void *arg)
{
	const void *data = NLMSG_DATA(h);
	size_t len = h->nlmsg_len - NLMSG_HDRLEN;
	const struct nlattr *name = nl_find(data, len, RDMA_NLDEV_ATTR_DEV_NAME),
			    *guid = nl_find(data, len, RDMA_NLDEV_ATTR_NODE_GUID);
	const struct reading *r = arg;
	uint64_t value;
	char of[40];

	if (!name || !guid || nl_len(guid) < sizeof(value))
		return;
	memcpy(&value, nl_data(guid), sizeof(value));
	snprintf(of, sizeof(of), "rdma %016llx", (unsigned long long)value);
	add_of(r->s, of, "netns", r->ns);
	add_of(r->s, of, "name", nl_data(name));
}

static void add_rdma_mode(const struct nlmsghdr *h, void *arg)
{
	const struct nlattr *a =
		nl_find(NLMSG_DATA(h), h->nlmsg_len - NLMSG_HDRLEN, RDMA_NLDEV_SYS_ATTR_NETNS_MODE);
	const struct reading *r = arg;

	state_add(r->s, "rdma mode", "%d", a ? *(const uint8_t *)nl_data(a) : -1);
}

static void add_rdma(struct reading *r, int ns)
{
	int fd = nl_open(NETLINK_RDMA, ns);
	struct nl_msg m;

	if (fd < 0)
		return;
	nl_begin(&m, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET), NLM_F_DUMP, "", 0);
	if (nl_ask(fd, &m, add_rdma_dev, r))
		state_add(r->s, "error", "RDMA devices of %s cannot be read", r->ns);
	if (ns < 0) {
		nl_begin(&m, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_SYS_GET), 0, "", 0);
		m.h.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
		nl_ask(fd, &m, add_rdma_mode, r);
	}
	close(fd);
}

/* --- files and drivers ----------------------------------------------------------------------------------------- */

static struct state *walked; /* nftw hands no argument on */

/* The stores themselves, which stay; what is in them is read as such. */
static bool is_store(const char *name)
{
	return strstr(name, ".db") || strstr(name, "lock") || !strncmp(name, "last_reserved", 13);
}

static int add_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	char key[96];

	(void)st;
	if (type != FTW_F || is_store(path + ftw->base))
		return 0;
	snprintf(key, sizeof(key), "file %.90s", path);
	state_add(walked, key, "is there");
	return 0;
}

static void add_files(struct state *s)
{
	walked = s;
	nftw("/var/lib/cni", add_file, 8, FTW_PHYS);
	nftw("/run/cni", add_file, 8, FTW_PHYS);
	nftw("/run/swept", add_file, 8, FTW_PHYS); /* the workload's: node.sh */
}

static void add_links_of_sysfs(struct state *s, const char *pattern)
{
	char target[256];
	glob_t g;

	if (glob(pattern, 0, NULL, &g))
		return;
	for (size_t i = 0; i < g.gl_pathc; i++) {
		ssize_t n = readlink(g.gl_pathv[i], target, sizeof(target) - 1);
		int fd = n < 0 ? open(g.gl_pathv[i], O_RDONLY | O_CLOEXEC) : -1;

		if (fd >= 0) {
			n = read(fd, target, sizeof(target) - 1);
			close(fd);
		}
		target[n > 0 ? n : 0] = '\0';
		target[strcspn(target, "\n")] = '\0';
		state_add(s, g.gl_pathv[i], "%s", target);
	}
	globfree(&g);
}

/* --- leases ---------------------------------------------------------------------------------------------------- */

static void add_leases_of(struct state *s, const char *file)
{
	static const char sql[] =
		"SELECT hex(addr), network, cid, ifname FROM lease WHERE held = 1";
	sqlite3_stmt *stmt = NULL;
	sqlite3 *db = NULL;
	char key[96];

	/* writable, for sqlite to take back what somebody who was killed left half done */
	if (sqlite3_open_v2(file, &db, SQLITE_OPEN_READWRITE, NULL) ||
	    sqlite3_prepare_v2(db, sql, -1, &stmt, NULL))
		state_add(s, "error", "%s: %s", file, sqlite3_errmsg(db));
	while (stmt && sqlite3_step(stmt) == SQLITE_ROW) {
		snprintf(key, sizeof(key), "lease %s", (const char *)sqlite3_column_text(stmt, 0));
		state_add(s, key, "%s %s %s", (const char *)sqlite3_column_text(stmt, 1),
			  (const char *)sqlite3_column_text(stmt, 2),
			  (const char *)sqlite3_column_text(stmt, 3));
	}
	sqlite3_finalize(stmt);
	sqlite3_close(db);
}

static void add_leases(struct state *s, const char *dir)
{
	char pattern[256];
	glob_t g;

	snprintf(pattern, sizeof(pattern), "%s/leases-*.db", dir);
	if (glob(pattern, 0, NULL, &g))
		return;
	for (size_t i = 0; i < g.gl_pathc; i++)
		add_leases_of(s, g.gl_pathv[i]);
	globfree(&g);
}

/* --- states ---------------------------------------------------------------------------------------------------- */

static int compare_facts(const void *a, const void *b)
{
	const struct fact *x = a, *y = b;
	int r = strcmp(x->key, y->key);

	return r ? r : strcmp(x->value, y->value);
}

void state_read(struct state *ret, const char *const pods[], const char *lease_dir)
{
	struct state s = { 0 };
	struct reading r = { .s = &s, .ns = "host" };
	char path[128];

	add_links(&r, -1);
	add_rdma(&r, -1);
	for (; pods && *pods; pods++) {
		int ns;

		snprintf(path, sizeof(path), "/run/netns/%s", *pods);
		ns = open(path, O_RDONLY | O_CLOEXEC);
		if (ns < 0)
			continue;
		r.ns = *pods;
		add_links(&r, ns);
		add_rdma(&r, ns);
		state_add_pod(&s, *pods, ns);
		close(ns);
	}
	add_files(&s);
	add_links_of_sysfs(&s, "/sys/bus/pci/devices/*/driver");
	add_links_of_sysfs(&s, "/sys/bus/pci/devices/*/sriov_numvfs");
	add_links_of_sysfs(&s, "/sys/class/infiniband_verbs/uverbs*/ibdev");
	add_leases(&s, lease_dir);
	if (s.count)
		qsort(s.facts, s.count, sizeof(*s.facts), compare_facts);
	*ret = s;
}

void state_done(struct state *s)
{
	free(s->facts);
	*s = (struct state){ 0 };
}

const char *state_get(const struct state *s, const char *key)
{
	for (size_t i = 0; i < s->count; i++)
		if (!strcmp(s->facts[i].key, key))
			return s->facts[i].value;
	return NULL;
}

unsigned int state_diff(const struct state *before, const struct state *after, state_diff_fn *fn,
			void *arg)
{
	size_t i = 0, j = 0;
	unsigned int n = 0;

	while (i < before->count || j < after->count) {
		const struct fact *a = i < before->count ? &before->facts[i] : NULL,
				  *b = j < after->count ? &after->facts[j] : NULL;
		int order = !a ? 1 : !b ? -1 : strcmp(a->key, b->key);

		if (order || strcmp(a->value, b->value) != 0) {
			n++;
			if (fn)
				fn(order <= 0 ? a->key : b->key, order <= 0 ? a->value : "",
				   order >= 0 ? b->value : "", arg);
		}
		i += order <= 0;
		j += order >= 0;
	}
	return n;
}
