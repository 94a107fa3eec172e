/* SPDX-License-Identifier: Apache-2.0 */
/* RDMA over Converged Ethernet: what an interface's MTU leaves for RDMA's. */
#pragma once

#include <stdint.h>

/** roce_active_mtu() - the RoCE MTU that a netdev's MTU gives (include/rdma/ib_addr.h, iboe_get_mtu) */
unsigned int roce_active_mtu(uint32_t mtu);

/**
 * roce_better_mtu() - the netdev's MTU that would give the next RoCE MTU, if it is only the headers that lack
 * Return: e.g. 4192 for 4100, and 0 for 1500, which is far from the next.
 */
unsigned int roce_better_mtu(uint32_t mtu);
