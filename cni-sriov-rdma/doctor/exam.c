/* SPDX-License-Identifier: Apache-2.0 */
#include "exam.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "kernel/roce.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define MEMORY (1u << 20) /* more than RLIMIT_MEMLOCK's old default of 64 KiB */

/* GIDs follow the addresses within milliseconds; a check right after an attach shall not fail for that. */
#define GID_MS 500

static struct ibv_context *open_by_name(const char *name, int *ret_sys)
{
	int count = 0;
	struct ibv_device **list = ibv_get_device_list(&count);
	struct ibv_context *ctx = NULL;

	*ret_sys = list ? ENOENT : errno;
	for (int i = 0; list && i < count; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name)) {
			ctx = ibv_open_device(list[i]);
			*ret_sys = ctx ? 0 : errno;
			break;
		}
	if (list)
		ibv_free_device_list(list);
	return ctx;
}

static void exam_open(struct exam *x, struct check *c)
{
	const char *name = x->t->rdma.name;
	struct ibv_device_attr attr;
	int sys;

	check_wants(c, "libibverbs opens %s", name);
	check_from(c, "/dev/infiniband/uverbs%d", x->t->uverbs);
	x->ctx = open_by_name(name, &sys);
	if (!x->ctx && sys == ENOENT)
		check_fail(
			c,
			"libibverbs does not open %s: is /dev/infiniband/uverbs%d there, and its driver's "
			"library (package ibverbs-providers)?",
			name, x->t->uverbs);
	else if (!x->ctx)
		check_fail(c, "libibverbs opens %s: %s", name, strerror(sys));
	if (!x->ctx)
		return;
	check_pass(c);
	if (!ibv_query_device(x->ctx, &attr))
		check_saw(c, "%s, firmware %s, vendor 0x%04x part %u",
			  ibv_node_type_str(x->ctx->device->node_type),
			  attr.fw_ver[0] ? attr.fw_ver : "unknown", attr.vendor_id,
			  attr.vendor_part_id);
}

static void exam_guid(struct exam *x, struct check *c)
{
	uint64_t guid = be64toh(ibv_get_device_guid(x->ctx->device));

	check_wants(c, "a node GUID that is not zero");
	check_saw(c, "%016llx", (unsigned long long)guid);
	check_from(c, "ibv_get_device_guid");
	if (guid)
		check_pass(c);
	else
		check_fail(
			c,
			"the node GUID is zero, and the connection manager tells devices apart by it: set the "
			"VF's MAC or GUID on its PF and bind its driver again");
}

static void exam_memory(struct exam *x, struct check *c)
{
	void *memory =
		mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *mr;

	check_wants(c, "%u bytes are registered for local and remote access", MEMORY);
	check_from(c, "ibv_reg_mr");
	if (memory == MAP_FAILED) {
		check_unread(c, "no memory: %s", strerror(errno));
		return;
	}
	x->pd = ibv_alloc_pd(x->ctx);
	mr = x->pd ? ibv_reg_mr(x->pd, memory, MEMORY,
				IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)
		   : NULL;
	if (mr) {
		check_saw(c, "%u bytes, key 0x%x", MEMORY, mr->rkey);
		check_pass(c);
		ibv_dereg_mr(mr);
	} else {
		check_fail(c, "%s: %s%s", x->pd ? "ibv_reg_mr" : "ibv_alloc_pd", strerror(errno),
			   errno == ENOMEM ? ": the limit of locked memory (ulimit -l) is too low"
					   : "");
	}
	munmap(memory, MEMORY);
}

static void exam_port(struct exam *x, struct check *c)
{
	int sys = ibv_query_port(x->ctx, TARGET_PORT, &x->port);

	check_wants(c, "%s", ibv_port_state_str(IBV_PORT_ACTIVE));
	check_from(c, "ibv_query_port, port %d", TARGET_PORT);
	if (sys) {
		check_unread(c, "ibv_query_port: %s", strerror(sys));
		return;
	}
	check_saw(c, "%s", ibv_port_state_str(x->port.state));
	if (x->port.state == IBV_PORT_ACTIVE)
		check_pass(c);
	else
		check_fail(
			c,
			"port %d of %s is %s: are the interface and its PF up, the cable in, and the "
			"switch's port enabled?",
			TARGET_PORT, x->t->rdma.name, ibv_port_state_str(x->port.state));
}

/* What the port's attributes are needed for cannot be told without them. */
static bool has_port(const struct exam *x, struct check *c)
{
	if (x->port.state != IBV_PORT_NOP)
		return true;
	check_unread(c, "ibv_query_port failed");
	return false;
}

static const char *layer_name(uint8_t layer)
{
	return layer == IBV_LINK_LAYER_ETHERNET	    ? "Ethernet"
	       : layer == IBV_LINK_LAYER_INFINIBAND ? "InfiniBand"
						    : "unspecified";
}

/* IPoIB interfaces have addresses of 20 bytes (RFC 4391). */
static void exam_link_layer(struct exam *x, struct check *c)
{
	uint8_t want =
		x->t->link.mac.len == 20 ? IBV_LINK_LAYER_INFINIBAND : IBV_LINK_LAYER_ETHERNET;

	check_wants(c, "%s, as interface %s", layer_name(want), x->t->link.name);
	check_saw(c, "%s", layer_name(x->port.link_layer));
	check_from(c, "ibv_query_port, port %d", TARGET_PORT);
	if (!has_port(x, c))
		return;
	if (x->port.link_layer == want)
		check_pass(c);
	else
		check_fail(c, "link layer %s does not fit interface %s",
			   layer_name(x->port.link_layer), x->t->link.name);
}

static unsigned int mtu_bytes(enum ibv_mtu mtu)
{
	return 128u << mtu; /* IBV_MTU_256 is 1 */
}

static void exam_mtu(struct exam *x, struct check *c)
{
	unsigned int active = mtu_bytes(x->port.active_mtu), max = mtu_bytes(x->port.max_mtu);
	uint32_t mtu = x->t->link.mtu;
	unsigned int want = roce_active_mtu(mtu);

	check_from(c, "ibv_query_port, port %d; MTU of %s", TARGET_PORT, x->t->link.name);
	if (!has_port(x, c))
		return;
	check_saw(c, "active MTU %u of at most %u, interface %u", active, max, mtu);
	c->values = json_pack("{s:i, s:i, s:i}", "activeMtu", (int)active, "maxMtu", (int)max,
			      "interfaceMtu", (int)mtu);
	if (x->port.link_layer != IBV_LINK_LAYER_ETHERNET) {
		check_pass(c); /* the subnet manager chooses it */
		return;
	}
	want = want < max ? want : max;
	check_wants(c, "active MTU %u, which the interface's MTU has room for", want);
	if (active < want)
		check_fail(c, "active MTU is %u, and the interface's MTU of %u has room for %u",
			   active, mtu, want);
	else if (roce_better_mtu(mtu) && active < max)
		check_warn(
			c,
			"interface MTU %u is wasted: RDMA packets have %u bytes, and %u and more would give "
			"the next size",
			mtu, active, roce_better_mtu(mtu));
	else
		check_pass(c);
}

/* The table of a port's GIDs; the caller frees it. */
static ssize_t read_gids(struct exam *x, struct ibv_gid_entry **ret)
{
	size_t max = (size_t)x->port.gid_tbl_len;
	struct ibv_gid_entry *list = calloc(max ?: 1, sizeof(*list));
	ssize_t n = list ? ibv_query_gid_table(x->ctx, list, max, 0) : -ENOMEM;

	if (n < 0)
		free(list);
	else
		*ret = list;
	return n;
}

static bool is_of_address(const union ibv_gid *gid, const struct inet_addr *a)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (a->family == AF_INET6)
		return !memcmp(gid->raw, a->bytes, 16);
	return !memcmp(gid->raw, mapped, 12) && !memcmp(gid->raw + 12, a->bytes, 4);
}

/* The row of an address's RoCE v2 GID; without an address that of any on the interface. NULL = none. */
static const struct ibv_gid_entry *find_gid(const struct exam *x, const struct ibv_gid_entry *list,
					    ssize_t count, const struct inet_addr *a)
{
	for (ssize_t i = 0; i < count; i++)
		if (list[i].port_num == TARGET_PORT && list[i].gid_type == IBV_GID_TYPE_ROCE_V2 &&
		    list[i].ndev_ifindex == (uint32_t)x->t->link.ifindex &&
		    (!a || is_of_address(&list[i].gid, a)))
			return &list[i];
	return NULL;
}

static void use_gid(struct exam *x, const struct ibv_gid_entry *row)
{
	if (x->gid_index >= 0)
		return;
	x->gid_index = (int)row->gid_index;
	x->gid = row->gid;
}

/* One look. Returns whether all are there; if not, @missing is one that is not. */
static bool look_at_gids(struct exam *x, struct check *c, const struct ibv_gid_entry *list,
			 ssize_t count, char missing[INET_TEXT])
{
	json_t *rows = json_array();
	char text[INET_TEXT];
	bool all = true;

	for (unsigned int i = 0; i < x->t->address_count; i++) {
		const struct inet_addr *a = &x->t->addresses[i];
		const struct ibv_gid_entry *row = find_gid(x, list, count, a);

		inet_addr_format(a, text);
		if (row) {
			use_gid(x, row);
			json_array_append_new(rows, json_pack("{s:s, s:i}", "address", text,
							      "index", (int)row->gid_index));
		} else if (all) {
			strcpy(missing, text);
			all = false;
		}
	}
	json_decref(c->values);
	c->values = json_pack("{s:o}", "gids", rows);
	check_saw(c, "%zu of %u addresses have a RoCE v2 GID; %zd GIDs in the table",
		  json_array_size(rows), x->t->address_count, count);
	return all;
}

static void exam_gid_infiniband(struct exam *x, struct check *c)
{
	check_wants(c, "a LID");
	check_saw(c, "LID %u", x->port.lid);
	if (x->port.lid)
		check_pass(c);
	else
		check_fail(c, "the port has no LID: is a subnet manager running?");
}

static void exam_gid_any(struct exam *x, struct check *c)
{
	auto_free struct ibv_gid_entry *list = NULL;
	ssize_t count = read_gids(x, &list);
	const struct ibv_gid_entry *row = count < 0 ? NULL : find_gid(x, list, count, NULL);

	check_wants(c, "a RoCE v2 GID of %s, which has no address", x->t->link.name);
	if (count < 0) {
		check_unread(c, "ibv_query_gid_table: %s", strerror((int)-count));
		return;
	}
	check_saw(c, "%zd GIDs in the table", count);
	if (!row) {
		check_fail(c, "interface %s has no address, and so there is no GID",
			   x->t->link.name);
		return;
	}
	use_gid(x, row);
	check_pass(c);
}

static void exam_gid(struct exam *x, struct check *c)
{
	uint64_t patience = clock_ms() + GID_MS;
	char missing[INET_TEXT] = "";
	ssize_t count;
	bool all;

	check_from(c, "ibv_query_gid_table, port %d", TARGET_PORT);
	if (!has_port(x, c))
		return;
	if (x->port.link_layer != IBV_LINK_LAYER_ETHERNET) {
		exam_gid_infiniband(x, c);
		return;
	}
	if (!x->t->address_count) {
		exam_gid_any(x, c);
		return;
	}
	check_wants(c, "a RoCE v2 GID for each address of %s", x->t->link.name);
	do {
		auto_free struct ibv_gid_entry *list = NULL;

		count = read_gids(x, &list);
		if (count < 0) {
			check_unread(c, "ibv_query_gid_table: %s", strerror((int)-count));
			return;
		}
		all = look_at_gids(x, c, list, count, missing);
		if (!all)
			clock_pause(10);
	} while (!all && clock_ms() < patience && clock_ms() < x->deadline);
	if (all)
		check_pass(c);
	else
		check_fail(
			c,
			"%s has no RoCE v2 GID for %s: is it the device of %s, and does its driver speak "
			"RoCE v2?",
			x->t->rdma.name, missing, x->t->link.name);
}

/* In this order; `needs` are the ids of earlier ones, without which it makes no sense to ask. */
static const struct item {
	const char *id;
	unsigned int area;
	exam_fn *run;
	const char *needs[3];
} items[] = {
	{ "open", AREA_RUNTIME, exam_open, { NULL } },
	{ "guid", AREA_INTERFACES, exam_guid, { "open" } },
	{ "memory", AREA_RUNTIME, exam_memory, { "open" } },
	{ "port", AREA_CONNECTIVITY, exam_port, { "open" } },
	{ "link-layer", AREA_INTERFACES, exam_link_layer, { "open" } },
	{ "mtu", AREA_CONNECTIVITY, exam_mtu, { "open" } },
	{ "gid", AREA_CONNECTIVITY, exam_gid, { "open" } },
	{ "cm", AREA_CONNECTIVITY, exam_cm, { "open" } },
	{ "loopback", AREA_CONNECTIVITY, exam_loop, { "memory", "port", "gid" } },
};

/* The first of those that an item needs that has not passed; NULL when all have. */
static const char *lacking(const struct item *item, const bool passed[])
{
	for (size_t i = 0; i < array_size(item->needs) && item->needs[i]; i++)
		for (size_t j = 0; j < array_size(items); j++)
			if (!strcmp(items[j].id, item->needs[i]) && !passed[j])
				return item->needs[i];
	return NULL;
}

void exam_run(const struct target *t, uint64_t deadline, struct report *r)
{
	struct exam x = { .t = t, .deadline = deadline, .gid_index = -1 };
	bool passed[array_size(items)] = { 0 };

	for (size_t i = 0; i < array_size(items); i++) {
		struct check *c = target_check(r, t, items[i].id, items[i].area);
		const char *lacks = lacking(&items[i], passed);

		if (lacks)
			check_unread(c, "it needs check %s, which failed", lacks);
		else
			items[i].run(&x, c);
		passed[i] = check_passed(c);
	}
	if (x.pd)
		ibv_dealloc_pd(x.pd);
	if (x.ctx)
		ibv_close_device(x.ctx);
}
