/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of a link by rtnetlink. */
#pragma once

#include "base/inet.h"
#include "kernel/netlink.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * addr_add() - put an address on a link; one that is there already is no error
 *
 * An IPv6 address skips duplicate address detection (RFC 4862, 5.4): an IPAM plugin has made sure that
 * there is no other, and a pod must not wait a second or two for what is known.
 *
 * @prefix_route: whether the kernel shall make the route to the address's net in the main table, as it does by itself
 *
 * Return: 0 or a negative errno of netlink_request().
 */
int addr_add(struct netlink *nl, int ifindex, const struct inet_net *address, bool prefix_route);

/** addr_del() - take an address off a link; one that is not there, as a primary one takes others along, is no error */
int addr_del(struct netlink *nl, int ifindex, const struct inet_net *address);

/**
 * addr_list() - the addresses of a link
 * @ret: an array that the caller frees
 */
int addr_list(struct netlink *nl, int ifindex, struct inet_net **ret, size_t *ret_count);
