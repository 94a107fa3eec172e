/* SPDX-License-Identifier: Apache-2.0 */
/* Telling the neighbours where an address now lives. */
#pragma once

#include "base/inet.h"

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
