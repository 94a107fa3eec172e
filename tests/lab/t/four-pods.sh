# SPDX-License-Identifier: Apache-2.0
# Proves, with four pods that have a VF of each of two PFs, that each pod sees its own two RDMA devices and no other, that
# every rail carries data between them, and that all eight are home, with their names, after DEL, and after the pods' death.
before=$(snapshot)
for dev in mlx5_4 mlx5_5 mlx5_6; do rdma link delete $dev; done
for n in 0 1 2 3; do rdma_add "$(vf_bdf 1 $n)" mlx5_$((4 + n)); done # with a data path, all of them
idle=$(snapshot)

rail_conf() { # RAIL POD-NUMBER
	conf "$(vf_bdf "$1" "$2")" "{\"name\": \"rail$1\", \"vlan\": $((100 + $1)), \"rdma\": {\"required\": true},
		\"ipam\": {\"subnet\": \"10.0.$((100 + $1)).0/24\"}}"
}
each() { # VERB: of both attachments of each pod
	local n rail
	for n in 0 1 2 3; do
		for rail in 0 1; do ok plugin "$1" "$(rail_conf $rail $n)" "pod$n" "net$((rail + 1))"; done
	done
}

pod_add pod0 pod1 pod2 pod3
each ADD
for n in 0 1 2 3; do
	[[ $(pod_rdma "pod$n" | xargs) == "mlx5_$n mlx5_$((4 + n))" ]] || fail "pod$n sees $(pod_rdma "pod$n" | xargs)"
	[[ $(in_pod "pod$n" rdma -j dev | jq -c 'map(.ifname) | sort') == "[\"mlx5_$n\",\"mlx5_$((4 + n))\"]" ]]
done
[[ -z $(ls /sys/class/infiniband) ]]
for rail in 1 2; do
	for n in 0 1 2 3; do
		to=pod$(((n + 1) % 4))
		address=$(pod_ip "$to" net$rail)
		ping_ok "pod$n" "$address"
		rping_ok "pod$n" "$to" "$address"
	done
done
each CHECK
each DEL
pod_del pod0 pod1 pod2 pod3
expect_same "$idle" "$(snapshot)"

pod_add pod0 pod1 pod2 pod3
each ADD
pod_del pod0 pod1 pod2 pod3
all_home() { (($(rdma -j dev | jq length) == 8)); }
wait_for 10 all_home
"$BUILD/cni-sriov-rdma/cni-sriov-rdma" repair
expect_same "$idle" "$(snapshot)"

rdma_setup
expect_same "$before" "$(snapshot)"
