# SPDX-License-Identifier: Apache-2.0
# Proves the main job between two nodes: a pod on each talks to the other by IP and by RDMA.
# lab: pair
[[ $NODE == a ]] && me=10.0.100.1 peer=10.0.100.2 || me=10.0.100.2 peer=10.0.100.1
before=$(snapshot)
vf=$(vf_bdf 0 0)
pod_add pod
c=$(conf "$vf" "{\"ipam\": {\"rangeStart\": \"$me\", \"rangeEnd\": \"$me\"}}")
ok plugin ADD "$c" pod net1
expect_result ".ips[0].address == \"$me/24\""

ping_ok pod $peer
barrier up
if [[ $NODE == a ]]; then
	in_pod pod timeout 30 rping -s -C 3
	in_pod pod timeout 30 ib_send_bw -d mlx5_0 -x "$(rdma_gid pod mlx5_0)" -n 100
else
	sleep 1 # until the other one listens
	in_pod pod timeout 20 rping -c -a $peer -C 3
	sleep 2
	in_pod pod timeout 30 ib_send_bw -d mlx5_0 -x "$(rdma_gid pod mlx5_0)" -n 100 $peer
fi
barrier "done"

ok plugin DEL "$c" pod net1
pod_del pod
expect_same "$before" "$(snapshot)"
