/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/roce.h"

#include "base/cleanup.h"

/* GRH, UDP, BTH, XRC and atomic headers and ICRC of RoCE v2 (include/rdma/ib_pack.h) */
#define ROCE_OVERHEAD 96

static const unsigned int roce_mtus[] = { 4096, 2048, 1024, 512, 256 };

unsigned int roce_active_mtu(uint32_t mtu)
{
	for (unsigned int i = 0; i < array_size(roce_mtus); i++)
		if (mtu >= roce_mtus[i] + ROCE_OVERHEAD)
			return roce_mtus[i];
	return 0;
}

unsigned int roce_better_mtu(uint32_t mtu)
{
	for (unsigned int i = 0; i < array_size(roce_mtus); i++)
		if (mtu >= roce_mtus[i])
			return roce_active_mtu(mtu) < roce_mtus[i] ? roce_mtus[i] + ROCE_OVERHEAD
								   : 0;
	return 0;
}
