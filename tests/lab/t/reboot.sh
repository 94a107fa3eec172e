# SPDX-License-Identifier: Apache-2.0
# Proves that what an earlier boot left in files counts for nothing: its attachments are dropped without touching the VF,
# its leases are free, a late DEL succeeds. Another boot is another boot id.
before=$(snapshot)
vf=$(vf_bdf 0 0)
c=$(conf "$vf")
echo 11111111-2222-4333-8444-555555555555 >"$said/boot_id"
mount --bind "$said/boot_id" /proc/sys/kernel/random/boot_id
pod_add old
ok plugin ADD "$c" old net1
address=$(jq -r '.ips[0].address' "$said/stdout")
umount /proc/sys/kernel/random/boot_id # now the machine has booted: the kernel knows nothing of it
pod_del old
wait_for 5 vf_dev "$vf"
wait_for 5 vf_rdma "$vf"
ip link set "$(vf_dev "$vf")" name "$(grep -oP "^$vf name \K.*" <<<"$before")" mtu 1500
ip link set "$(pf_dev 0)" vf 0 vlan 0
[[ $("$BUILD/cni-ipam/cni-ipam" leases --json | jq length) == 0 ]]
prints "earlier boot" "$BUILD/cni-sriov-rdma/cni-sriov-rdma" list

pod_add new
ok plugin ADD "$c" new net1
expect_result ".ips[0].address == \"$address\""
attached=$(snapshot)
NETNS="" ok plugin DEL "$c" old net1
expect_same "$attached" "$(snapshot)"
ok plugin DEL "$c" new net1
pod_del new
expect_same "$before" "$(snapshot)"
