# SPDX-License-Identifier: Apache-2.0
# Proves that DEL succeeds when the VF itself has gone away, and that the record and the lease go, too.
declare -A macs
for n in 0 1 2 3; do macs[$n]=$(cat "/sys/class/net/$(vf_dev "$(vf_bdf 0 $n)")/address"); done
before=$(snapshot)
vf=$(vf_bdf 0 0)
pod_add one
ok plugin ADD "$(conf "$vf")" one net1
echo 0 >"/sys/bus/pci/devices/${PFS[0]}/sriov_numvfs"
ok plugin DEL "$(conf "$vf")" one net1
pod_del one

vfs_create 0 4
for n in 0 1 2 3; do ip link set "$(vf_dev "$(vf_bdf 0 $n)")" address "${macs[$n]}"; done
rdma_setup
expect_same "$before" "$(snapshot)"
