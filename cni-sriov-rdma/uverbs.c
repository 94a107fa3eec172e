/* SPDX-License-Identifier: Apache-2.0 */
#include "uverbs.h"

#include <errno.h>

int uverbs_check(const struct vf_state *before, const struct vf_state *now,
		 enum fault_policy policy, struct err *e)
{
	const struct vf_rdma *was = before->rdma, *is = now->rdma;

	for (unsigned int i = 0; i < now->rdma_count && i < before->rdma_count; i++) {
		if (was[i].uverbs == is[i].uverbs)
			continue;
		err_set(e, CNI_ERR_KERNEL, 0,
			"the move of RDMA device %s made its uverbs%d uverbs%d", is[i].name,
			was[i].uverbs, is[i].uverbs);
		err_details(
			e,
			"the pod was given /dev/infiniband/uverbs%d and cannot use the device: make the pod "
			"anew, after the device plugin has noticed the new number",
			was[i].uverbs);
		if (policy == FAULT_FAIL)
			return -EINVAL;
		log_warning("%s; %s", e->msg, e->details);
	}
	return 0;
}
