/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/rule.h"

#include "base/cleanup.h"

#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <string.h>

static struct nl_msg *rule_msg(uint16_t type, int flags, const struct rule *rule)
{
	struct fib_rule_hdr info = {
		.family = (uint8_t)rule->from.addr.family,
		.src_len = rule->from.len,
		.table = RT_TABLE_UNSPEC, /* FRA_TABLE has room for all numbers */
		.action = FR_ACT_TO_TBL,
	};
	struct nl_msg *msg = netlink_msg(type, flags, &info, sizeof(info));

	if (!msg)
		return NULL;
	NLA_PUT(msg, FRA_SRC, (int)inet_addr_size(&rule->from.addr), rule->from.addr.bytes);
	NLA_PUT_U32(msg, FRA_TABLE, rule->table);
	NLA_PUT_U32(msg, FRA_PRIORITY, rule->priority);
	NLA_PUT_U8(msg, FRA_PROTOCOL, rule->protocol);
	return msg;

nla_put_failure:
	nlmsg_free(msg);
	return NULL;
}

int rule_add(struct netlink *nl, const struct rule *rule)
{
	int r = netlink_request(nl, rule_msg(RTM_NEWRULE, NLM_F_CREATE | NLM_F_EXCL, rule), NULL,
				NULL);

	return r == -EEXIST ? 0 : r;
}

int rule_del(struct netlink *nl, const struct rule *rule)
{
	int r = netlink_request(nl, rule_msg(RTM_DELRULE, 0, rule), NULL, NULL);

	return r == -ENOENT ? 0 : r;
}

struct rule_collect {
	struct rule *list;
	size_t count;
};

static uint32_t u32_of(const struct nlattr *a, uint32_t fallback)
{
	return a && nla_len(a) == sizeof(uint32_t) ? nla_get_u32(a) : fallback;
}

static int collect_rule(struct nlmsghdr *h, void *arg)
{
	const struct fib_rule_hdr *info = nlmsg_data(h);
	struct rule_collect *c = arg;
	struct nlattr *tb[FRA_MAX + 1];
	struct rule *grown, rule = { 0 };

	if (nlmsg_parse(h, sizeof(*info), tb, FRA_MAX, NULL) < 0)
		return -EBADMSG;
	if (tb[FRA_SRC] && nla_len(tb[FRA_SRC]) <= (int)sizeof(rule.from.addr.bytes)) {
		rule.from.addr.family = info->family;
		rule.from.len = info->src_len;
		nla_memcpy(rule.from.addr.bytes, tb[FRA_SRC], sizeof(rule.from.addr.bytes));
	}
	rule.table = u32_of(tb[FRA_TABLE], info->table);
	rule.priority = u32_of(tb[FRA_PRIORITY], 0);
	if (tb[FRA_PROTOCOL] && nla_len(tb[FRA_PROTOCOL]))
		rule.protocol = nla_get_u8(tb[FRA_PROTOCOL]);
	grown = reallocarray(c->list, c->count + 1, sizeof(*c->list));
	if (!grown)
		return -ENOMEM;
	c->list = grown;
	c->list[c->count++] = rule;
	return 0;
}

int rule_list(struct netlink *nl, int family, struct rule **ret, size_t *ret_count)
{
	struct fib_rule_hdr info = { .family = (uint8_t)family };
	struct rule_collect c = { 0 };
	int r = netlink_request(nl, netlink_msg(RTM_GETRULE, NLM_F_DUMP, &info, sizeof(info)),
				collect_rule, &c);

	if (r) {
		free(c.list);
		return r;
	}
	*ret = c.list;
	*ret_count = c.count;
	return 0;
}
