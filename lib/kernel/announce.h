/* SPDX-License-Identifier: Apache-2.0 */
/* Telling the neighbours where an address now lives. */
#pragma once

#include "base/inet.h"
#include "kernel/netlink.h"

/**
 * announce() - send a gratuitous ARP request, or an unsolicited neighbour advertisement
 * @ns: the namespace of the link; @own_ns: the caller's, to come back to
 * @mac: the link's address; one that is not of 6 bytes is not announced (IPoIB is not Ethernet)
 *
 * RFC 5227, 3 (ARP announcement: a request for one's own address); RFC 4861, 7.2.6 (override flag, to
 * all nodes, hop limit 255). Best effort: it is of use only where the address was elsewhere before.
 *
 * Return: 0 or a negative errno.
 */
int announce(int ns, int own_ns, int ifindex, const struct hwaddr *mac,
	     const struct inet_addr *address);

/**
 * announce_first() - the same for an IPv4 address that is the first one of its subnet on the link
 * @nl: a socket of the link's namespace
 *
 * announce() needs a packet socket, and closing that waits for an RCU grace period (packet_release), 10 ms and more.
 * The kernel's neighbour table sends the same packet at once: told to use (NTF_USE) a neighbour that has our own
 * address it asks for it, with the first address of that subnet as the sender's (net/ipv4/arp.c, arp_solicit). The
 * entry is then taken away.
 *
 * Return: 0 or a negative errno.
 */
int announce_first(struct netlink *nl, int ifindex, const struct inet_addr *address);
