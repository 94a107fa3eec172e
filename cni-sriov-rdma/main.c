/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs.h"

int main(int argc, char **argv)
{
	static const struct cni_plugin plugin = {
		.name = "cni-sriov-rdma",
		.about = "cni-sriov-rdma " PROJECT_VERSION
			 ": CNI plugin that moves an SR-IOV VF and its RDMA device into a pod",
		.add = attach_add,
		.del = attach_del,
		.check = attach_check,
		.gc = attach_gc,
		.status = attach_status,
		.command = attach_command,
	};

	return cni_main(&plugin, argc, argv);
}
