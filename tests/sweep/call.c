/* SPDX-License-Identifier: Apache-2.0 */
#include "call.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define array_size(a) (sizeof(a) / sizeof((a)[0]))

/* What a call's object is. */
enum object {
	OBJECT_NONE,
	OBJECT_PATH, /* the argument is a path */
	OBJECT_FILE, /* a descriptor; only files on a disk or in /proc and /sys count */
	OBJECT_OPEN, /* a path, and it depends on the flags what it is */
	OBJECT_SOCKET, /* a message */
	OBJECT_RECEIVE, /* never a point: the answer to a message */
};

static const struct {
	int nr;
	int arg; /* the one that names the object */
	enum call_class class;
	enum object object;
	const char *name;
} calls[] = {
#ifdef __NR_open
	{ __NR_open, 0, 0, OBJECT_OPEN, "open" },
	{ __NR_creat, 0, CALL_CHANGE, OBJECT_PATH, "creat" },
	{ __NR_rename, 0, CALL_CHANGE, OBJECT_PATH, "rename" },
	{ __NR_unlink, 0, CALL_CHANGE, OBJECT_PATH, "unlink" },
	{ __NR_mkdir, 0, CALL_CHANGE, OBJECT_PATH, "mkdir" },
	{ __NR_rmdir, 0, CALL_CHANGE, OBJECT_PATH, "rmdir" },
	{ __NR_link, 1, CALL_CHANGE, OBJECT_PATH, "link" },
	{ __NR_symlink, 1, CALL_CHANGE, OBJECT_PATH, "symlink" },
	{ __NR_chmod, 0, CALL_CHANGE, OBJECT_PATH, "chmod" },
	{ __NR_fork, 0, CALL_RESOURCE, OBJECT_NONE, "fork" },
	{ __NR_vfork, 0, CALL_RESOURCE, OBJECT_NONE, "vfork" },
	{ __NR_pipe, 0, CALL_RESOURCE, OBJECT_NONE, "pipe" },
#endif
	{ __NR_openat, 1, 0, OBJECT_OPEN, "openat" },
	{ __NR_renameat, 1, CALL_CHANGE, OBJECT_PATH, "renameat" },
	{ __NR_renameat2, 1, CALL_CHANGE, OBJECT_PATH, "renameat2" },
	{ __NR_unlinkat, 1, CALL_CHANGE, OBJECT_PATH, "unlinkat" },
	{ __NR_mkdirat, 1, CALL_CHANGE, OBJECT_PATH, "mkdirat" },
	{ __NR_linkat, 3, CALL_CHANGE, OBJECT_PATH, "linkat" },
	{ __NR_symlinkat, 2, CALL_CHANGE, OBJECT_PATH, "symlinkat" },
	{ __NR_fchmod, 0, CALL_CHANGE, OBJECT_FILE, "fchmod" },
	{ __NR_fchmodat, 1, CALL_CHANGE, OBJECT_PATH, "fchmodat" },
	{ __NR_write, 0, CALL_CHANGE, OBJECT_FILE, "write" },
	{ __NR_writev, 0, CALL_CHANGE, OBJECT_FILE, "writev" },
	{ __NR_pwrite64, 0, CALL_CHANGE, OBJECT_FILE, "pwrite" },
	{ __NR_pwritev, 0, CALL_CHANGE, OBJECT_FILE, "pwritev" },
	{ __NR_ftruncate, 0, CALL_CHANGE, OBJECT_FILE, "ftruncate" },
	{ __NR_fallocate, 0, CALL_CHANGE, OBJECT_FILE, "fallocate" },
	{ __NR_fsync, 0, CALL_CHANGE, OBJECT_FILE, "fsync" },
	{ __NR_fdatasync, 0, CALL_CHANGE, OBJECT_FILE, "fdatasync" },
	{ __NR_mount, 1, CALL_CHANGE, OBJECT_PATH, "mount" },
	{ __NR_umount2, 0, CALL_CHANGE, OBJECT_PATH, "umount" },
	{ __NR_setns, 0, CALL_CHANGE, OBJECT_FILE, "setns" },
	{ __NR_unshare, 0, CALL_CHANGE, OBJECT_NONE, "unshare" },
	{ __NR_sendto, 0, 0, OBJECT_SOCKET, "sendto" },
	{ __NR_sendmsg, 0, 0, OBJECT_SOCKET, "sendmsg" },
	{ __NR_recvfrom, 0, 0, OBJECT_RECEIVE, "recvfrom" },
	{ __NR_recvmsg, 0, 0, OBJECT_RECEIVE, "recvmsg" },
	{ __NR_socket, 0, CALL_RESOURCE, OBJECT_NONE, "socket" },
	{ __NR_bind, 0, CALL_RESOURCE, OBJECT_NONE, "bind" },
	{ __NR_pipe2, 0, CALL_RESOURCE, OBJECT_NONE, "pipe2" },
	{ __NR_flock, 0, CALL_RESOURCE, OBJECT_FILE, "flock" },
	{ __NR_clone, 0, CALL_RESOURCE, OBJECT_NONE, "clone" },
	{ __NR_execve, 0, CALL_RESOURCE, OBJECT_PATH, "execve" },
	{ __NR_newfstatat, 1, CALL_READ, OBJECT_PATH, "stat" },
	{ __NR_readlinkat, 1, CALL_READ, OBJECT_PATH, "readlinkat" },
	{ __NR_getdents64, 0, CALL_READ, OBJECT_FILE, "getdents" },
	{ __NR_fstatfs, 0, CALL_READ, OBJECT_FILE, "statfs" },
};

size_t call_numbers(int *ret, size_t max)
{
	size_t n = 0;

	for (; n < array_size(calls) && n < max; n++)
		ret[n] = calls[n].nr;
	return n;
}

bool task_read(pid_t pid, uint64_t at, void *buf, size_t len)
{
	struct iovec here = { buf, len }, there = { (void *)(uintptr_t)at, len };

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)len;
}

bool task_write(pid_t pid, uint64_t at, const void *buf, size_t len)
{
	struct iovec here = { (void *)(uintptr_t)buf, len }, there = { (void *)(uintptr_t)at, len };

	return process_vm_writev(pid, &here, 1, &there, 1, 0) == (ssize_t)len;
}

static void read_string(pid_t pid, uint64_t at, char *buf, size_t size)
{
	size_t n = 0;

	/* byte by byte, as the page after the string may not be there */
	while (n + 1 < size && task_read(pid, at + n, buf + n, 1) && buf[n])
		n++;
	buf[n] = '\0';
}

/* Files on a disk, and those of the kernel below /proc and /sys: not pipes, sockets, and what was said. */
static bool describe_file(pid_t pid, int fd, struct point *p)
{
	char link[64], target[PATH_MAX];
	ssize_t n;

	if (fd <= STDERR_FILENO)
		return false;
	snprintf(link, sizeof(link), "/proc/%d/fd/%d", pid, fd);
	n = readlink(link, target, sizeof(target) - 1);
	if (n <= 0)
		return false;
	target[n] = '\0';
	snprintf(p->object, sizeof(p->object), "%.190s", target);
	return (target[0] == '/' && strncmp(target, "/dev/", 5) != 0) ||
	       !strncmp(target, "net:", 4);
}

static bool describe_open(const struct call *c, int arg, struct point *p)
{
	int flags = (int)c->args[arg + 1];

	read_string(c->pid, c->args[arg], p->object, sizeof(p->object));
	p->class = flags & (O_CREAT | O_TRUNC) ? CALL_CHANGE : CALL_RESOURCE;
	return strncmp(p->object, "/dev/", 5) != 0;
}

bool call_receives(const struct call *c)
{
	return c->nr == __NR_recvmsg || c->nr == __NR_recvfrom;
}

bool call_peeks(const struct call *c)
{
	return c->args[c->nr == __NR_recvmsg ? 2 : 3] & MSG_PEEK;
}

bool call_buffer(const struct call *c, uint64_t *ret_at, size_t *ret_len)
{
	struct msghdr msg = { 0 };
	struct iovec iov = { 0 };

	if (c->nr == __NR_sendto || c->nr == __NR_recvfrom) {
		*ret_at = c->args[1];
		*ret_len = c->args[2];
		return true;
	}
	if (!task_read(c->pid, c->args[1], &msg, sizeof(msg)) || !msg.msg_iovlen ||
	    !task_read(c->pid, (uintptr_t)msg.msg_iov, &iov, sizeof(iov)))
		return false;
	*ret_at = (uintptr_t)iov.iov_base;
	*ret_len = iov.iov_len;
	return true;
}

/* What kind of socket does the task have there? A copy of its descriptor tells. */
static bool socket_kind(pid_t pid, int fd, int *ret_domain, int *ret_protocol)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	int copy = pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	socklen_t len = sizeof(int);
	bool ok = copy >= 0 && !getsockopt(copy, SOL_SOCKET, SO_DOMAIN, ret_domain, &len) &&
		  !getsockopt(copy, SOL_SOCKET, SO_PROTOCOL, ret_protocol, &len);

	if (copy >= 0)
		close(copy);
	if (pidfd >= 0)
		close(pidfd);
	return ok;
}

static const char *name_of(const char *const *names, size_t count, unsigned int i, char buf[12])
{
	if (i < count && names[i])
		return names[i];
	snprintf(buf, 12, "%u", i);
	return buf;
}

static const char *const rtnl_names[] = {
	[RTM_NEWLINK - RTM_BASE] = "NEWLINK",	      [RTM_DELLINK - RTM_BASE] = "DELLINK",
	[RTM_GETLINK - RTM_BASE] = "GETLINK",	      [RTM_SETLINK - RTM_BASE] = "SETLINK",
	[RTM_NEWADDR - RTM_BASE] = "NEWADDR",	      [RTM_DELADDR - RTM_BASE] = "DELADDR",
	[RTM_GETADDR - RTM_BASE] = "GETADDR",	      [RTM_NEWROUTE - RTM_BASE] = "NEWROUTE",
	[RTM_DELROUTE - RTM_BASE] = "DELROUTE",	      [RTM_GETROUTE - RTM_BASE] = "GETROUTE",
	[RTM_NEWRULE - RTM_BASE] = "NEWRULE",	      [RTM_NEWNEIGH - RTM_BASE] = "NEWNEIGH",
	[RTM_NEWLINKPROP - RTM_BASE] = "NEWLINKPROP", [RTM_DELLINKPROP - RTM_BASE] = "DELLINKPROP",
};

static const char *const link_attrs[] = {
	[IFLA_ADDRESS] = "ADDRESS", [IFLA_IFNAME] = "IFNAME",	    [IFLA_MTU] = "MTU",
	[IFLA_TXQLEN] = "TXQLEN",   [IFLA_IFALIAS] = "IFALIAS",	    [IFLA_VFINFO_LIST] = "VF",
	[IFLA_GROUP] = "GROUP",	    [IFLA_NET_NS_FD] = "NET_NS_FD", [IFLA_EXT_MASK] = "EXT",
	[IFLA_PROP_LIST] = "PROP",
};

static const char *const vf_attrs[] = {
	[IFLA_VF_MAC] = "MAC",
	[IFLA_VF_VLAN] = "VLAN",
	[IFLA_VF_RATE] = "RATE",
	[IFLA_VF_SPOOFCHK] = "SPOOFCHK",
	[IFLA_VF_TRUST] = "TRUST",
	[IFLA_VF_VLAN_LIST] = "VLAN_LIST",
	[IFLA_VF_LINK_STATE] = "STATE",
	[IFLA_VF_IB_NODE_GUID] = "NODE_GUID",
	[IFLA_VF_IB_PORT_GUID] = "PORT_GUID",
};

static const char *const nldev_names[] = {
	[RDMA_NLDEV_CMD_GET] = "GET",
	[RDMA_NLDEV_CMD_SET] = "SET",
	[RDMA_NLDEV_CMD_SYS_GET] = "SYS_GET",
	[RDMA_NLDEV_CMD_SYS_SET] = "SYS_SET",
};

static const char *const nldev_attrs[] = {
	[RDMA_NLDEV_ATTR_DEV_INDEX] = "INDEX",
	[RDMA_NLDEV_ATTR_DEV_NAME] = "NAME",
	[RDMA_NLDEV_NET_NS_FD] = "NET_NS_FD",
	[RDMA_NLDEV_SYS_ATTR_NETNS_MODE] = "MODE",
};

static void append(char *buf, size_t size, const char *word)
{
	size_t used = strlen(buf);

	snprintf(buf + used, size - used, " %s", word);
}

/* Walk over attributes: the type of one, and what is left; 0 at the end. */
static unsigned int take_attr(const char **data, size_t *len, const char **ret_value,
			      size_t *ret_len)
{
	const struct nlattr *a = (const struct nlattr *)(const void *)*data;
	size_t step;

	if (*len < sizeof(*a) || a->nla_len < sizeof(*a) || a->nla_len > *len)
		return 0;
	*ret_value = *data + sizeof(*a);
	*ret_len = a->nla_len - sizeof(*a);
	step = (size_t)NLA_ALIGN(a->nla_len);
	*data += step < *len ? step : *len;
	*len -= step < *len ? step : *len;
	return a->nla_type & NLA_TYPE_MASK;
}

static void name_attrs(const char *data, size_t len, const char *const *names, size_t count,
		       char *buf, size_t size)
{
	unsigned int type;
	const char *value;
	size_t value_len;
	char number[12];

	while ((type = take_attr(&data, &len, &value, &value_len)))
		append(buf, size, name_of(names, count, type, number));
}

/* Those of VFs are within IFLA_VFINFO_LIST, IFLA_VF_INFO. */
static void name_link_attrs(const char *data, size_t len, char *buf, size_t size)
{
	unsigned int type;
	const char *value;
	size_t value_len;
	char number[12];

	while ((type = take_attr(&data, &len, &value, &value_len))) {
		append(buf, size, name_of(link_attrs, array_size(link_attrs), type, number));
		if (type == IFLA_VFINFO_LIST && value_len >= sizeof(struct nlattr))
			name_attrs(value + sizeof(struct nlattr), value_len - sizeof(struct nlattr),
				   vf_attrs, array_size(vf_attrs), buf, size);
	}
}

static void describe_rtnl(const struct nlmsghdr *h, struct point *p)
{
	unsigned int type = (unsigned int)h->nlmsg_type - RTM_BASE;
	const char *data = (const char *)h + NLMSG_HDRLEN;
	const struct ifinfomsg *info = (const struct ifinfomsg *)(const void *)data;
	size_t len = h->nlmsg_len - NLMSG_HDRLEN;
	size_t used;
	char number[12];

	/* the kernel counts in fours: new, delete, get, set (net/core/rtnetlink.c, rtnetlink_rcv_msg) */
	p->class = (type & 3) == 2 ? CALL_READ : CALL_CHANGE;
	snprintf(p->object, sizeof(p->object), "rtnl %s",
		 name_of(rtnl_names, array_size(rtnl_names), type, number));
	if (((type & ~3u) != 0 && type < RTM_NEWLINKPROP - RTM_BASE) || len < sizeof(*info))
		return;
	used = strlen(p->object);
	if (info->ifi_change)
		snprintf(p->object + used, sizeof(p->object) - used, " flags %#x/%#x",
			 info->ifi_flags, info->ifi_change);
	name_link_attrs(data + sizeof(*info), len - sizeof(*info), p->object, sizeof(p->object));
}

static void describe_rdma(const struct nlmsghdr *h, struct point *p)
{
	unsigned int op = RDMA_NL_GET_OP(h->nlmsg_type);
	char number[12];

	p->class =
		op == RDMA_NLDEV_CMD_SET || op == RDMA_NLDEV_CMD_SYS_SET ? CALL_CHANGE : CALL_READ;
	snprintf(p->object, sizeof(p->object), "rdma %s",
		 name_of(nldev_names, array_size(nldev_names), op, number));
	name_attrs((const char *)h + NLMSG_HDRLEN, h->nlmsg_len - NLMSG_HDRLEN, nldev_attrs,
		   array_size(nldev_attrs), p->object, sizeof(p->object));
}

static bool describe_send(const struct call *c, struct point *p)
{
	union {
		struct nlmsghdr h;
		char bytes[4096];
	} data;
	int domain, protocol;
	uint64_t at;
	size_t len;

	if (!socket_kind(c->pid, (int)c->args[0], &domain, &protocol))
		return false;
	if (domain == AF_PACKET || domain == AF_INET || domain == AF_INET6) {
		p->class = CALL_CHANGE;
		snprintf(p->object, sizeof(p->object), "a packet");
		return true;
	}
	if (domain != AF_NETLINK || !call_buffer(c, &at, &len))
		return false;
	if (len > sizeof(data))
		len = sizeof(data);
	if (len < sizeof(data.h) || !task_read(c->pid, at, &data, len) || data.h.nlmsg_len > len)
		return false;
	p->is_netlink = true;
	if (protocol == NETLINK_ROUTE)
		describe_rtnl(&data.h, p);
	else if (protocol == NETLINK_RDMA)
		describe_rdma(&data.h, p);
	else
		return false;
	return true;
}

bool call_describe(const struct call *c, struct point *ret)
{
	struct point p = { 0 };
	bool is_point = false;
	size_t i = 0;

	while (i < array_size(calls) && calls[i].nr != c->nr)
		i++;
	if (i == array_size(calls))
		return false;
	p.class = calls[i].class;
	snprintf(p.call, sizeof(p.call), "%s", calls[i].name);
	switch (calls[i].object) {
	case OBJECT_NONE:
		is_point = true;
		break;
	case OBJECT_PATH:
		read_string(c->pid, c->args[calls[i].arg], p.object, sizeof(p.object));
		is_point = true;
		break;
	case OBJECT_FILE:
		is_point = describe_file(c->pid, (int)c->args[calls[i].arg], &p);
		break;
	case OBJECT_OPEN:
		is_point = describe_open(c, calls[i].arg, &p);
		break;
	case OBJECT_SOCKET:
		is_point = describe_send(c, &p);
		break;
	case OBJECT_RECEIVE:
		break;
	}
	if (is_point)
		*ret = p;
	return is_point;
}

const int *call_errors(const struct point *p)
{
	static const int link[] = { EINVAL,	EBUSY,	EPERM,	EADDRNOTAVAIL,
				    EOPNOTSUPP, ENOMEM, ENODEV, 0 };
	static const int rdma[] = { EBUSY, EINVAL, EOPNOTSUPP, ENODEV, ENOMEM, 0 };
	static const int address[] = { EINVAL, ENOBUFS, EACCES, 0 };
	static const int ask[] = { ENOBUFS, ENOMEM, 0 };
	static const int packet[] = { ENETDOWN, ENOBUFS, 0 };
	static const int enter[] = { EPERM, ENOMEM, 0 };
	static const int make[] = { ENOSPC, EROFS, EACCES, EMFILE, EIO, 0 };
	static const int store[] = { ENOSPC, EIO, EDQUOT, 0 };
	static const int replace[] = { EIO, ENOSPC, EROFS, EACCES, 0 };
	static const int delete[] = { EROFS, EACCES, EIO, 0 };
	static const int open_[] = { EMFILE, ENFILE, ENOMEM, EACCES, 0 };
	static const int process[] = { EAGAIN, ENOMEM, 0 };
	static const int execute[] = { ENOMEM, EACCES, ENOENT, 0 };
	static const int lock[] = { ENOLCK, EINTR, 0 };
	static const int other[] = { ENOMEM, EMFILE, 0 };

	if (p->is_netlink && p->class == CALL_READ)
		return ask;
	if (p->is_netlink)
		return strncmp(p->object, "rdma", 4) == 0  ? rdma
		       : strstr(p->object, "LINK") != NULL ? link
							   : address;
	if (!strncmp(p->call, "send", 4))
		return packet;
	if (!strcmp(p->call, "setns"))
		return enter;
	if (!strncmp(p->call, "open", 4) || !strcmp(p->call, "creat"))
		return p->class == CALL_CHANGE ? make : open_;
	if (!strncmp(p->call, "mkdir", 5))
		return make;
	if (strstr(p->call, "write") || !strncmp(p->call, "f", 1))
		return !strcmp(p->call, "flock")  ? lock
		       : !strcmp(p->call, "fork") ? process
						  : store;
	if (!strncmp(p->call, "rename", 6) || !strncmp(p->call, "link", 4))
		return replace;
	if (!strncmp(p->call, "unlink", 6) || !strcmp(p->call, "rmdir"))
		return delete;
	if (!strcmp(p->call, "clone") || !strcmp(p->call, "vfork"))
		return process;
	return !strcmp(p->call, "execve") ? execute : other;
}
