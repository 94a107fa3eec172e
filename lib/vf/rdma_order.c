/* SPDX-License-Identifier: Apache-2.0 */
/* Which of a VF's RDMA devices is which? */
#include "vf/state.h"

#include <string.h>

typedef bool same_fn(const struct vf_rdma *a, const struct vf_rdma *b);

static bool is_same_device(const struct vf_rdma *a, const struct vf_rdma *b)
{
	return a->id && a->id == b->id;
}

static bool has_same_guid(const struct vf_rdma *a, const struct vf_rdma *b)
{
	return a->guid && a->guid == b->guid && !strcmp(a->parent, b->parent);
}

static bool has_same_parent(const struct vf_rdma *a, const struct vf_rdma *b)
{
	return !strcmp(a->parent, b->parent);
}

static bool is_any(const struct vf_rdma *a, const struct vf_rdma *b)
{
	(void)a;
	(void)b;
	return true;
}

void vf_align_rdma(struct vf_state *want, const struct vf_state *now)
{
	static same_fn *const ways[] = { is_same_device, has_same_guid, has_same_parent, is_any };
	bool taken[VF_RDMA_DEVS] = { false }, found[VF_RDMA_DEVS] = { false };
	struct vf_rdma in_order[VF_RDMA_DEVS];

	memcpy(in_order, now->rdma, sizeof(in_order));
	for (unsigned int way = 0; way < sizeof(ways) / sizeof(ways[0]); way++)
		for (unsigned int i = 0; i < now->rdma_count; i++)
			for (unsigned int j = 0; !found[i] && j < want->rdma_count; j++) {
				if (taken[j] || !ways[way](&now->rdma[i], &want->rdma[j]))
					continue;
				in_order[i] = want->rdma[j];
				taken[j] = found[i] = true;
			}
	for (unsigned int i = 0; i < now->rdma_count; i++)
		if (!found[i])
			in_order[i].place = VF_HOST;
	memcpy(want->rdma, in_order, sizeof(in_order));
	want->rdma_count = now->rdma_count;
}
