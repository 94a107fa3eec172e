# SPDX-License-Identifier: Apache-2.0
# Proves that all RDMA devices of a VF, below its PCI device and below its auxiliary devices, move with it or none does; that
# each gets its own name back, whatever a pod or the kernel has called it.
before=$(snapshot)
vf=$(vf_bdf 1 0)
parameter() { echo "$2" >"/sys/module/vfib/parameters/$1"; } # NAME VALUE
indexes() { rdma dev show | cut -d : -f 1,2; } # the kernel's, which stay with the devices, and their names

# mlx5_4 below the PCI device, another one there, and one below an auxiliary device
dev=$(vf_dev "$vf")
rdma link add mlx5_40 type vfib netdev "$dev"
parameter aux 1
rdma link add mlx5_3x type vfib netdev "$dev" # its name comes first, and its index last
parameter aux 0
[[ -d $(echo "/sys/bus/pci/devices/$vf"/vfib.rdma.*/infiniband/mlx5_3x) ]]
[[ $(vf_rdma "$vf" | xargs) == "mlx5_4 mlx5_40" ]]
three=$(snapshot) indexes=$(indexes)
c=$(conf "$vf" '{"rdma": {"required": true}}')
pod_add one
ok plugin ADD "$c" one net1
[[ $(pod_rdma one | xargs) == "mlx5_3x mlx5_4 mlx5_40" ]]
fails grep -E 'mlx5_(3x|4$|40)' <(ls /sys/class/infiniband)
ok plugin CHECK "$c" one net1
jq -e '.rdma | map(.device) | sort == ["mlx5_3x", "mlx5_4", "mlx5_40"]' "/var/lib/cni/cni-sriov-rdma/attachments/$vf.json"
jq -e '.before.rdma | (map(.parent) | sort | .[0:2] == ["", ""] and (.[2] | startswith("vfib.rdma."))) and all(.[]; .id > 0)' \
	"/var/lib/cni/cni-sriov-rdma/attachments/$vf.json"
ok plugin DEL "$c" one net1
expect_same "$three" "$(snapshot | grep -v '^namespace one$')"

# names that a pod has changed: crosswise, and as the kernel names devices; home by DEL, and by the namespace's end
for way in del end; do
	ok plugin ADD "$c" one net1
	in_pod one sh -c 'rdma dev set mlx5_4 name tmp; rdma dev set mlx5_40 name mlx5_4; rdma dev set tmp name mlx5_40
		rdma dev set mlx5_3x name ibdev0'
	fails plugin CHECK "$c" one net1
	expect_error 101 'rdma name is '
	if [[ $way == del ]]; then
		ok plugin DEL "$c" one net1
		pod_del one
	else
		pod_del one
		NETNS="" ok plugin DEL "$c" one net1
	fi
	expect_same "$three" "$(snapshot)"
	expect_same "$indexes" "$(indexes)"
	[[ -d $(echo "/sys/bus/pci/devices/$vf"/vfib.rdma.*/infiniband/mlx5_3x) ]]
	pod_add one
done

# one that refuses to move: none has moved
parameter disassoc 0
rdma link add mlx5_5x type vfib netdev "$dev"
parameter disassoc 1
four=$(snapshot)
fails plugin ADD "$c" one net1
expect_error 100 'move RDMA device mlx5_5x to the pod.*Operation not supported'
expect_same "$four" "$(snapshot)"
[[ -z $(pod_rdma one) ]]
for name in mlx5_40 mlx5_3x mlx5_5x; do rdma link delete $name; done
pod_del one
expect_same "$before" "$(snapshot)"
