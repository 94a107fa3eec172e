/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/rdma.h"

#include <errno.h>
#include <rdma/rdma_netlink.h>
#include <string.h>

static struct nl_msg *nldev_msg(int command, int flags)
{
	return netlink_msg((uint16_t)RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command), flags, NULL, 0);
}

static int parse_mode(struct nlmsghdr *h, void *arg)
{
	const struct nlattr *mode = nlmsg_find_attr(h, 0, RDMA_NLDEV_SYS_ATTR_NETNS_MODE);

	/* absent before 5.2, when there was only what is now called shared */
	*(bool *)arg = mode && nla_len(mode) >= 1 && !nla_get_u8(mode); /* 0 exclusive, 1 shared */
	return 0;
}

int rdma_mode_get(struct netlink *nl, bool *ret_exclusive)
{
	bool exclusive = false;
	int r = netlink_request(nl, nldev_msg(RDMA_NLDEV_CMD_SYS_GET, 0), parse_mode, &exclusive);

	if (!r)
		*ret_exclusive = exclusive;
	return r;
}

int rdma_mode_set(struct netlink *nl, bool exclusive)
{
	struct nl_msg *msg = nldev_msg(RDMA_NLDEV_CMD_SYS_SET, 0);

	if (msg)
		nla_put_u8(msg, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, !exclusive);
	return netlink_request(nl, msg, NULL, NULL);
}

struct dev_search {
	const char *name;
	struct rdma_dev found;
	bool is_found;
};

static int match_dev(struct nlmsghdr *h, void *arg)
{
	struct dev_search *search = arg;
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	int r = nlmsg_parse(h, 0, tb, RDMA_NLDEV_ATTR_MAX - 1, NULL);

	if (r < 0 || !tb[RDMA_NLDEV_ATTR_DEV_INDEX] || !tb[RDMA_NLDEV_ATTR_DEV_NAME])
		return -EBADMSG;
	if (nla_strcmp(tb[RDMA_NLDEV_ATTR_DEV_NAME], search->name))
		return 0;
	search->is_found = true;
	search->found.index = nla_get_u32(tb[RDMA_NLDEV_ATTR_DEV_INDEX]);
	nla_strlcpy(search->found.name, tb[RDMA_NLDEV_ATTR_DEV_NAME], RDMA_NAME_MAX);
	return 0;
}

int rdma_dev_find(struct netlink *nl, const char *name, struct rdma_dev *ret)
{
	struct dev_search search = { .name = name };
	/* a dump: the kernel looks devices up by index only */
	int r = netlink_request(nl, nldev_msg(RDMA_NLDEV_CMD_GET, NLM_F_DUMP), match_dev, &search);

	if (!r && !search.is_found)
		r = -ENODEV;
	if (!r)
		*ret = search.found;
	return r;
}

static struct nl_msg *dev_set_msg(uint32_t index)
{
	struct nl_msg *msg = nldev_msg(RDMA_NLDEV_CMD_SET, 0);

	if (msg)
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	return msg;
}

int rdma_dev_move(struct netlink *nl, uint32_t index, int ns)
{
	struct nl_msg *msg = dev_set_msg(index);

	if (msg)
		nla_put_u32(msg, RDMA_NLDEV_NET_NS_FD, (uint32_t)ns);
	return netlink_request(nl, msg, NULL, NULL);
}

int rdma_dev_rename(struct netlink *nl, uint32_t index, const char *name)
{
	struct nl_msg *msg = dev_set_msg(index);

	if (msg)
		nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, name);
	return netlink_request(nl, msg, NULL, NULL);
}
