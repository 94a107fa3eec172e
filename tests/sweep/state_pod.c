/* SPDX-License-Identifier: Apache-2.0 */
/* What an attachment changes in its pod's namespace besides its own interface. What a new namespace has is no fact. */
#include "nl.h"
#include "state.h"

#include <fcntl.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct pod_reading {
	struct state *s;
	const char *pod;
};

static void add_rule(const struct nlmsghdr *h, void *arg)
{
	const struct fib_rule_hdr *info = NLMSG_DATA(h);
	const struct nlattr *a =
		nl_find(info + 1, h->nlmsg_len - NLMSG_LENGTH(sizeof(*info)), FRA_TABLE);
	const struct pod_reading *r = arg;
	uint32_t table = info->table;
	char key[96];

	if (a)
		memcpy(&table, nl_data(a), sizeof(table));
	if (table == RT_TABLE_LOCAL || table == RT_TABLE_MAIN || table == RT_TABLE_DEFAULT)
		return;
	snprintf(key, sizeof(key), "pod %.40s rule", r->pod);
	state_add(r->s, key, "family %u to table %u", info->family, table);
}

static void add_setting(struct state *s, const char *pod, int ns)
{
	int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), fd;
	char key[96], value[8] = "";

	if (own < 0 || setns(ns, CLONE_NEWNET))
		return;
	fd = open("/proc/sys/net/ipv4/conf/all/arp_notify", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (read(fd, value, sizeof(value) - 1) < 0)
			strcpy(value, "?");
		close(fd);
	}
	if (setns(own, CLONE_NEWNET))
		_exit(3);
	close(own);
	if (value[0] == '0')
		return;
	snprintf(key, sizeof(key), "pod %.40s arp_notify", pod);
	state_add(s, key, "%.1s", value);
}

void state_add_pod(struct state *s, const char *pod, int ns)
{
	struct pod_reading r = { s, pod };
	int fd = nl_open(NETLINK_ROUTE, ns);
	struct fib_rule_hdr info = { 0 };
	struct nl_msg m;

	for (int i = 0; i < 2; i++) {
		info.family = i ? AF_INET6 : AF_INET;
		nl_begin(&m, RTM_GETRULE, NLM_F_DUMP, &info, sizeof(info));
		if (fd < 0 || nl_ask(fd, &m, add_rule, &r))
			state_add(s, "error", "rules of %s cannot be read", pod);
	}
	if (fd >= 0)
		close(fd);
	add_setting(s, pod, ns);
}
