/* SPDX-License-Identifier: Apache-2.0 */
/* Routes through a link by rtnetlink. */
#pragma once

#include "base/inet.h"
#include "kernel/netlink.h"

#include <stdbool.h>
#include <stdint.h>

struct route {
	int ifindex;
	struct inet_net dst;
	struct inet_addr gw; /* AF_UNSPEC = directly on the link */
	uint32_t mtu, advmss; /* 0 = not set */
	uint32_t priority; /* metric; 0 = the family's default */
	uint32_t table; /* 0 = main */
	bool set_scope;
	uint8_t scope; /* rtnetlink(7), RT_SCOPE_*; unset: link without a gateway, else universe */
};

/** route_add() - add a route; one that is there already, the same, is no error */
int route_add(struct netlink *nl, const struct route *route);

/**
 * route_exists() - is there such a route?
 *
 * Compares destination, gateway and link; of the rest what is set: table, too, since a plugin that runs later, such as
 * sbr, may have put the route into another table.
 */
int route_exists(struct netlink *nl, const struct route *route, bool *ret);

/** route_table_used() - has a table a route, of any family? */
int route_table_used(struct netlink *nl, uint32_t table, bool *ret);
