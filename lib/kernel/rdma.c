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

static int parse_dev(struct nlmsghdr *h, struct rdma_dev *ret)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	int r = nlmsg_parse(h, 0, tb, RDMA_NLDEV_ATTR_MAX - 1, NULL);

	if (r < 0 || !tb[RDMA_NLDEV_ATTR_DEV_INDEX] || !tb[RDMA_NLDEV_ATTR_DEV_NAME])
		return -EBADMSG;
	ret->index = nla_get_u32(tb[RDMA_NLDEV_ATTR_DEV_INDEX]);
	nla_strlcpy(ret->name, tb[RDMA_NLDEV_ATTR_DEV_NAME], RDMA_NAME_MAX);
	ret->node_guid = 0;
	if (tb[RDMA_NLDEV_ATTR_NODE_GUID])
		nla_memcpy(&ret->node_guid, tb[RDMA_NLDEV_ATTR_NODE_GUID], sizeof(ret->node_guid));
	return 0;
}

struct dev_search {
	const char *name;
	struct rdma_dev found;
	bool is_found;
};

static int match_dev(struct nlmsghdr *h, void *arg)
{
	struct dev_search *search = arg;
	struct rdma_dev dev;
	int r = parse_dev(h, &dev);

	if (r || strcmp(dev.name, search->name))
		return r;
	search->is_found = true;
	search->found = dev;
	return 0;
}

static int keep_dev(struct nlmsghdr *h, void *arg)
{
	return parse_dev(h, arg);
}

int rdma_dev_get(struct netlink *nl, uint32_t index, struct rdma_dev *ret)
{
	struct nl_msg *msg = nldev_msg(RDMA_NLDEV_CMD_GET, 0);

	if (msg)
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	return netlink_request(nl, msg, keep_dev, ret);
}

int rdma_dev_find(struct netlink *nl, const char *name, int64_t hint, struct rdma_dev *ret)
{
	struct dev_search search = { .name = name };
	int r;

	if (hint >= 0 && hint <= UINT32_MAX && !rdma_dev_get(nl, (uint32_t)hint, &search.found) &&
	    !strcmp(search.found.name, name)) {
		*ret = search.found;
		return 0;
	}
	r = netlink_request(nl, nldev_msg(RDMA_NLDEV_CMD_GET, NLM_F_DUMP), match_dev, &search);
	if (!r && !search.is_found)
		r = -ENODEV;
	if (!r)
		*ret = search.found;
	return r;
}

struct dev_list {
	struct rdma_dev *ret;
	unsigned int max, count;
};

static int collect_dev(struct nlmsghdr *h, void *arg)
{
	struct dev_list *list = arg;
	struct rdma_dev dev;
	int r = parse_dev(h, &dev);

	if (r)
		return r;
	if (list->count < list->max)
		list->ret[list->count] = dev;
	list->count++;
	return 0;
}

int rdma_dev_list(struct netlink *nl, struct rdma_dev *ret, unsigned int max)
{
	struct dev_list list = { .ret = ret, .max = max };
	int r = netlink_request(nl, nldev_msg(RDMA_NLDEV_CMD_GET, NLM_F_DUMP), collect_dev, &list);

	return r ? r : (int)list.count;
}

static int parse_port_netdev(struct nlmsghdr *h, void *arg)
{
	const struct nlattr *ifindex = nlmsg_find_attr(h, 0, RDMA_NLDEV_ATTR_NDEV_INDEX);

	if (ifindex && nla_len(ifindex) >= (int)sizeof(uint32_t))
		*(uint32_t *)arg = nla_get_u32(ifindex);
	return 0;
}

int rdma_port_netdev(struct netlink *nl, uint32_t index, uint32_t port, int *ret_ifindex)
{
	struct nl_msg *msg = nldev_msg(RDMA_NLDEV_CMD_PORT_GET, 0);
	uint32_t ifindex = 0;
	int r;

	if (msg) {
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, index);
		nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, port);
	}
	r = netlink_request(nl, msg, parse_port_netdev, &ifindex);
	if (r)
		return r;
	if (!ifindex)
		return -ENODEV;
	*ret_ifindex = (int)ifindex;
	return 0;
}

struct user_search {
	uint32_t pid;
	bool is_found;
};

/* Contexts are what a process opens a device as; those of the kernel's own users have a name in place of a PID. */
static int find_user(struct nlmsghdr *h, void *arg)
{
	const struct nlattr *table = nlmsg_find_attr(h, 0, RDMA_NLDEV_ATTR_RES_CTX);
	struct user_search *search = arg;
	struct nlattr *entry;
	int left;

	if (!table || search->is_found)
		return 0;
	nla_for_each_nested(entry, table, left) {
		const struct nlattr *pid =
			nla_find(nla_data(entry), nla_len(entry), RDMA_NLDEV_ATTR_RES_PID);

		if (nla_find(nla_data(entry), nla_len(entry), RDMA_NLDEV_ATTR_RES_KERN_NAME))
			continue;
		search->is_found = true;
		search->pid = pid && nla_len(pid) >= (int)sizeof(uint32_t) ? nla_get_u32(pid) : 0;
		break;
	}
	return 0;
}

int rdma_dev_user(struct netlink *nl, uint32_t index, uint32_t *ret_pid)
{
	struct nl_msg *msg = nldev_msg(RDMA_NLDEV_CMD_RES_CTX_GET, NLM_F_DUMP);
	struct user_search search = { 0 };
	int r;

	if (msg)
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	r = netlink_request(nl, msg, find_user, &search);
	if (r)
		return r;
	if (!search.is_found)
		return -ENOENT;
	*ret_pid = search.pid;
	return 0;
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
