# SPDX-License-Identifier: Apache-2.0
# Proves an attach on a machine with several PCIe roots, switches and NUMA nodes: a VF below a switch is found with its PF.
# lab: --topology
before=$(snapshot)
pod_add one
for pf in "${!PFS[@]}"; do
	vf=$(vf_bdf "$pf" 1)
	ok plugin ADD "$(conf "$vf")" one net1
	expect_result ".interfaces[0].pciID == \"$vf\""
	prints "^$vf +$(pf_dev "$pf") " "$BUILD/cni-sriov-rdma/cni-sriov-rdma" list
	ip -d -j link show "$(pf_dev "$pf")" | jq -e '.[0].vfinfo_list[1] | .vlan_list[0].vlan // .vlan | . == 100'
	ok plugin DEL "$(conf "$vf")" one net1
done
pod_del one
expect_same "$before" "$(snapshot)"
