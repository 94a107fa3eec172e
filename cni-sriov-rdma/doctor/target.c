/* SPDX-License-Identifier: Apache-2.0 */
#include "target.h"

#include "base/cleanup.h"
#include "kernel/addr.h"
#include "kernel/netns.h"
#include "kernel/sysfs_rdma.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>

static int enter(const struct options *o, struct about *about, struct err *e)
{
	auto_close int ns = -1;
	int r;

	if (o->pid)
		snprintf(about->netns, sizeof(about->netns), "/proc/%llu/ns/net",
			 (unsigned long long)o->pid);
	else
		snprintf(about->netns, sizeof(about->netns), "%s", o->netns);
	ns = netns_open(about->netns, e);
	if (ns == -ENXIO)
		return err_set(e, CNI_ERR_ENV, 0, "%s: %s is not a network namespace",
			       o->pid ? "--pid" : "--netns", about->netns);
	if (ns < 0)
		return err_set(e, CNI_ERR_ENV, ns, "%s: open %s", o->pid ? "--pid" : "--netns",
			       about->netns);
	r = netns_enter(ns, e);
	return r ? r : sysfs_mount_own(e);
}

static int open_rdma(struct netlink *ret, struct err *e)
{
	int r = netlink_open(ret, NETLINK_RDMA, -1, -1, e);

	if (r)
		err_details(
			e, "is there an RDMA subsystem on this node (modules ib_core, ib_uverbs)?");
	return r;
}

int place_enter(const struct options *o, struct place *ret, struct about *about, struct err *e)
{
	struct place p = { .sysfs = -1 };
	auto_close int own = -1;
	struct netns_id id;
	int r = o->netns || o->pid ? enter(o, about, e) : 0;

	if (r)
		return r;
	r = own = netns_open_own(e);
	r = r < 0 ? r : netns_id(own, &id, e);
	if (!r) {
		about->netns_inode = id.ino;
		r = p.sysfs = sysfs_open("/sys", e);
	}
	if (r >= 0)
		r = netlink_open(&p.route, NETLINK_ROUTE, -1, -1, e);
	if (r >= 0)
		r = open_rdma(&p.rdma, e);
	if (r < 0) {
		place_leave(&p);
		return r;
	}
	*ret = p;
	return 0;
}

void place_leave(struct place *p)
{
	netlink_close(&p->rdma);
	netlink_close(&p->route);
	cleanup_close(&p->sysfs);
}

struct check *target_check(struct report *r, const struct target *t, const char *id,
			   unsigned int area)
{
	struct check *c = report_add(r, id, area);

	snprintf(c->device, sizeof(c->device), "%s", t->rdma.name);
	snprintf(c->bdf, sizeof(c->bdf), "%s", t->bdf);
	snprintf(c->ifname, sizeof(c->ifname), "%s", t->link.name);
	return c;
}

static bool is_link_local(const struct inet_addr *a)
{
	return a->family == AF_INET6 && a->bytes[0] == 0xfe && (a->bytes[1] & 0xc0) == 0x80;
}

static void find_addresses(struct place *p, struct target *t)
{
	auto_free struct inet_net *list = NULL;
	size_t count = 0;

	if (addr_list(&p->route, t->link.ifindex, &list, &count))
		return;
	for (size_t i = 0; i < count && t->address_count < TARGET_ADDRESSES; i++)
		if (!is_link_local(&list[i].addr))
			t->addresses[t->address_count++] = list[i].addr;
}

/* Complete a target from its RDMA device's name and index. An IPoIB port tells no interface. */
static void look_at(struct place *p, struct target *t)
{
	int ifindex = 0;

	t->uverbs = -1;
	if (sysfs_rdma_owner(p->sysfs, t->rdma.name, t->bdf, &t->uverbs))
		t->bdf[0] = '\0';
	if (!rdma_port_netdev(&p->rdma, t->rdma.index, TARGET_PORT, &ifindex)) {
		if (link_get(&p->route, ifindex, NULL, &t->link))
			t->link.ifindex = 0;
	} else if (t->bdf[0] && link_find_by_parent(&p->route, t->bdf, &t->link)) {
		t->link.ifindex = 0;
	}
	if (t->link.ifindex)
		find_addresses(p, t);
}

struct seen {
	struct target list[TARGETS];
	unsigned int count;
	char names[128]; /* for messages */
};

static int look_around(struct place *p, struct seen *s, struct err *e)
{
	struct rdma_dev devs[TARGETS];
	int n = rdma_dev_list(&p->rdma, devs, TARGETS);
	size_t at = 0;

	if (n < 0)
		return netlink_err(&p->rdma, e, n, "list the RDMA devices");
	s->count = n < TARGETS ? (unsigned int)n : TARGETS;
	for (unsigned int i = 0; i < s->count; i++) {
		s->list[i].rdma = devs[i];
		look_at(p, &s->list[i]);
		if (at < sizeof(s->names))
			at += (size_t)snprintf(s->names + at, sizeof(s->names) - at, "%s%s",
					       i ? ", " : "", devs[i].name);
	}
	return 0;
}

static bool is_of_link(const struct target *t, const struct link *l)
{
	return t->link.ifindex == l->ifindex || (t->bdf[0] && !strcmp(t->bdf, l->parent));
}

static void describe(struct check *c, const struct target *t)
{
	check_saw(c, "%s%s%s%s%s", t->rdma.name, t->bdf[0] ? " of " : "", t->bdf,
		  t->link.ifindex ? ", interface " : ", no interface here", t->link.name);
	check_from(c, "RDMA netlink, /sys/class/infiniband_verbs");
}

/* A device that was asked for or found: is it what it should be? Returns whether. */
static bool judge(struct report *report, const struct target *t, const struct link *want)
{
	struct check *c = target_check(report, t, "device", AREA_INTERFACES);

	describe(c, t);
	if (want) {
		check_wants(c, "the RDMA device of %s%s%s", want->name, want->parent[0] ? ", " : "",
			    want->parent);
		if (!is_of_link(t, want)) {
			check_fail(c, "RDMA device %s is not that of interface %s", t->rdma.name,
				   want->name);
			return false;
		}
	}
	if (!t->link.ifindex) {
		check_fail(
			c,
			"the interface of RDMA device %s is not in this network namespace, and its "
			"traffic would go through that",
			t->rdma.name);
		return false;
	}
	check_pass(c);
	return true;
}

static void missing(struct report *report, const struct seen *s, const char *device,
		    const struct link *want)
{
	struct check *c = report_add(report, "device", AREA_INTERFACES);

	snprintf(c->device, sizeof(c->device), "%s", device);
	if (want) {
		snprintf(c->ifname, sizeof(c->ifname), "%s", want->name);
		snprintf(c->bdf, sizeof(c->bdf), "%s", want->parent);
	}
	check_wants(c, "%s%s%s%s in this network namespace", *device ? device : "an RDMA device",
		    want ? ", of interface " : "", want ? want->name : "", want ? "," : "");
	check_saw(c, "RDMA devices here: %s", s->count ? s->names : "none");
	check_from(c, "RDMA netlink");
	check_fail(
		c,
		"%s%s%s is in this network namespace: was the pod attached with it, and is the RDMA "
		"subsystem in exclusive mode (rdma system)?",
		*device ? "no RDMA device " : "no RDMA device",
		*device ? device
		: want	? " of interface "
			: "",
		*device || !want ? "" : want->name);
}

static unsigned int by_name(const struct options *o, const struct seen *s, const struct link *want,
			    struct report *report, struct target *ret)
{
	unsigned int count = 0, j;

	for (unsigned int i = 0; i < o->device_count; i++) {
		for (j = 0; j < s->count; j++)
			if (!strcmp(s->list[j].rdma.name, o->devices[i]))
				break;
		if (j == s->count)
			missing(report, s, o->devices[i], want);
		else if (judge(report, &s->list[j], want))
			ret[count++] = s->list[j];
	}
	return count;
}

/* All that are there; in shared mode those of other namespaces are there, too, and are none of ours. */
static unsigned int by_place(struct place *p, const struct seen *s, const struct link *want,
			     struct report *report, struct target *ret)
{
	unsigned int count = 0, judged = 0;
	bool exclusive = true;

	if (rdma_mode_get(&p->rdma, &exclusive))
		exclusive = true;
	for (unsigned int i = 0; i < s->count; i++) {
		const struct target *t = &s->list[i];

		if (want ? !is_of_link(t, want) : !exclusive && !t->link.ifindex)
			continue;
		judged++;
		if (judge(report, t, want))
			ret[count++] = *t;
	}
	if (!judged)
		missing(report, s, "", want);
	return count;
}

unsigned int targets_find(struct place *p, const struct options *o, struct report *report,
			  struct target *ret)
{
	auto_free struct seen *s = calloc(1, sizeof(*s));
	struct link want;
	struct check *c;
	struct err e;
	int r;

	if (!s || look_around(p, s, &e)) {
		c = report_add(report, "device", AREA_INTERFACES);
		check_from(c, "RDMA netlink");
		check_unread(c, "%s", s ? e.msg : strerror(ENOMEM));
		return 0;
	}
	r = o->interface ? link_get(&p->route, 0, o->interface, &want) : 0;
	if (r) {
		c = report_add(report, "device", AREA_INTERFACES);
		snprintf(c->ifname, sizeof(c->ifname), "%s", o->interface);
		check_wants(c, "interface %s in this network namespace", o->interface);
		check_from(c, "rtnetlink");
		check_fail(c, "interface %s: %s", o->interface, strerror(-r));
		return 0;
	}
	return o->device_count ? by_name(o, s, o->interface ? &want : NULL, report, ret)
			       : by_place(p, s, o->interface ? &want : NULL, report, ret);
}
