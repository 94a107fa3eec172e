/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/announce.h"

#include "base/cleanup.h"
#include "kernel/netns.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

static int socket_in(int ns, int own_ns, int domain, int type, int protocol)
{
	struct err e;
	int fd, r = netns_enter(ns, &e);

	if (r)
		return r;
	fd = socket(domain, type | SOCK_CLOEXEC, protocol);
	if (fd < 0)
		fd = -errno;
	r = netns_enter(own_ns, &e);
	if (r && fd >= 0)
		close(fd);
	return r ? r : fd;
}

struct arp_packet { /* RFC 826, for Ethernet and IPv4 */
	struct arphdr head;
	uint8_t sender_mac[ETH_ALEN], sender_ip[4], target_mac[ETH_ALEN], target_ip[4];
} __attribute__((packed));

static int announce_arp(int fd, int ifindex, const struct hwaddr *mac,
			const struct inet_addr *address)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ARP),
		.sll_ifindex = ifindex,
		.sll_halen = ETH_ALEN,
	};
	struct arp_packet arp = {
		.head = { htons(ARPHRD_ETHER), htons(ETH_P_IP), ETH_ALEN, 4, htons(ARPOP_REQUEST) },
	};

	memset(to.sll_addr, 0xff, ETH_ALEN);
	memcpy(arp.sender_mac, mac->bytes, ETH_ALEN);
	memcpy(arp.sender_ip, address->bytes, 4);
	memcpy(arp.target_ip, address->bytes, 4);
	return sendto(fd, &arp, sizeof(arp), 0, (struct sockaddr *)&to, sizeof(to)) < 0 ? -errno
											: 0;
}

struct na_packet { /* RFC 4861, 4.4, with the target link-layer address option */
	struct nd_neighbor_advert head;
	struct nd_opt_hdr option;
	uint8_t mac[ETH_ALEN];
} __attribute__((packed));

static int announce_na(int fd, int ifindex, const struct hwaddr *mac,
		       const struct inet_addr *address)
{
	struct sockaddr_in6 to = { .sin6_family = AF_INET6, .sin6_scope_id = (uint32_t)ifindex };
	struct na_packet na = { .option = { ND_OPT_TARGET_LINKADDR, 1 } };
	int hops = 255, via = ifindex;

	inet_pton(AF_INET6, "ff02::1", &to.sin6_addr);
	na.head.nd_na_type = ND_NEIGHBOR_ADVERT;
	na.head.nd_na_flags_reserved = ND_NA_FLAG_OVERRIDE;
	memcpy(&na.head.nd_na_target, address->bytes, 16);
	memcpy(na.mac, mac->bytes, ETH_ALEN);
	if (setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops, sizeof(hops)) ||
	    setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, &via, sizeof(via)))
		return -errno;
	/* the kernel computes the ICMPv6 checksum of raw sockets (RFC 3542, 3.1) */
	return sendto(fd, &na, sizeof(na), 0, (struct sockaddr *)&to, sizeof(to)) < 0 ? -errno : 0;
}

static int neighbour(struct netlink *nl, uint16_t type, int flags, uint8_t use, int ifindex,
		     const struct inet_addr *address)
{
	struct ndmsg info = {
		.ndm_family = (uint8_t)address->family,
		.ndm_ifindex = ifindex,
		.ndm_flags = use,
	};
	struct nl_msg *msg = netlink_msg(type, flags, &info, sizeof(info));

	if (msg)
		nla_put(msg, NDA_DST, (int)inet_addr_size(address), address->bytes);
	return netlink_request(nl, msg, NULL, NULL);
}

int announce_first(struct netlink *nl, int ifindex, const struct inet_addr *address)
{
	int r = neighbour(nl, RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_EXCL, NTF_USE, ifindex, address);

	return r ? r : neighbour(nl, RTM_DELNEIGH, 0, 0, ifindex, address);
}

int announce(int ns, int own_ns, int ifindex, const struct hwaddr *mac,
	     const struct inet_addr *address)
{
	bool v4 = address->family == AF_INET;
	auto_close int fd = -1;

	if (mac->len != ETH_ALEN)
		return 0;
	fd = v4 ? socket_in(ns, own_ns, AF_PACKET, SOCK_DGRAM, 0)
		: socket_in(ns, own_ns, AF_INET6, SOCK_RAW, IPPROTO_ICMPV6);
	if (fd < 0)
		return fd;
	return v4 ? announce_arp(fd, ifindex, mac, address)
		  : announce_na(fd, ifindex, mac, address);
}
