/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel answers, read by each of the functions that read answers. The first byte chooses one, and the rest is
 * the message; the functions are not public, so their files are a part of this one.
 */
#include "fuzz.h"

/* NOLINTBEGIN(bugprone-suspicious-include): see above */
#include "../../lib/kernel/addr.c"
#include "../../lib/kernel/link.c"
#include "../../lib/kernel/rdma.c"
#include "../../lib/kernel/route.c"
#include "../../lib/kernel/rule.c"
#include "../../lib/kernel/vfinfo.c"
/* NOLINTEND(bugprone-suspicious-include) */

static void read_link(struct nlmsghdr *h)
{
	struct link l = { 0 };

	if (link_parse(h, &l))
		return;
	fuzz_must(strlen(l.name) < IFNAMSIZ && strlen(l.parent) < sizeof(l.parent));
	fuzz_must(l.mac.len <= HWADDR_MAX);
	for (unsigned int i = 0; i < l.altname_count && i < LINK_ALTNAMES; i++)
		fuzz_must(strlen(l.altnames[i]) < LINK_ALTNAME_MAX);
}

static void read_vfinfo(struct nlmsghdr *h)
{
	struct vfinfo found = { 0 };
	struct vf_search search = { .vf = 1, .found = &found };

	match_vf(h, &search);
	fuzz_must(found.mac.len <= HWADDR_MAX);
}

static void read_addr(struct nlmsghdr *h)
{
	struct addr_collect c = { .ifindex = 1 };

	collect_addr(h, &c);
	free(c.list);
}

static void read_route(struct nlmsghdr *h)
{
	struct route want = { .ifindex = 1, .dst = { { AF_INET, { 10 } }, 8 }, .mtu = 1500 };
	struct table_search table = { .table = 1000 };
	struct route_search search = { .want = &want };

	match_route(h, &search);
	match_table(h, &table);
}

static void read_rule(struct nlmsghdr *h)
{
	struct rule_collect c = { 0 };

	collect_rule(h, &c);
	free(c.list);
}

static void read_rdma(struct nlmsghdr *h)
{
	struct dev_search search = { .name = "mlx5_0" };
	struct rdma_dev devs[1];
	struct dev_list list = { .ret = devs, .max = 1 };
	struct user_search user = { 0 };
	uint32_t ifindex;
	bool exclusive;

	parse_mode(h, &exclusive);
	parse_port_netdev(h, &ifindex);
	collect_dev(h, &list);
	find_user(h, &user);
	match_dev(h, &search);
	fuzz_must(strlen(search.found.name) < RDMA_NAME_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const readers[])(struct nlmsghdr *) = { read_link,  read_vfinfo, read_addr,
							      read_route, read_rdma,   read_rule };
	struct nlmsghdr *h;
	uint8_t *copy;

	if (size < 1 + NLMSG_HDRLEN)
		return 0;
	copy = malloc(size - 1); /* of its exact size, and aligned as a socket's buffer is */
	fuzz_must(copy);
	memcpy(copy, data + 1, size - 1);
	h = (struct nlmsghdr *)(void *)copy;
	if (nlmsg_ok(h, (int)(size - 1))) /* as netlink_receive() has seen to */
		readers[data[0] % array_size(readers)](h);
	free(copy);
	return 0;
}
