# SPDX-License-Identifier: Apache-2.0
# Proves the lab's wire: a pod on each of two nodes, attached by hand, talks to the other by IP and by RDMA.
# lab: pair
[[ $NODE == a ]] && me=10.0.100.1 peer=10.0.100.2 || me=10.0.100.2 peer=10.0.100.1
dev=$(vf_dev "$(vf_bdf 0 0)")

pod_add pod
ip link set "$(pf_dev 0)" vf 0 vlan 100 qos 3
ip link set "$dev" netns pod
rdma dev set mlx5_0 netns pod
ip -n pod link set "$dev" name net1 mtu 4500
ip -n pod link set net1 up
ip -n pod addr add "$me/24" dev net1

ping_ok pod "$peer"
barrier up
if [[ $NODE == a ]]; then
	in_pod pod timeout 30 rping -s -C 3
else
	sleep 1
	in_pod pod timeout 20 rping -c -a "$peer" -C 3
fi

pod_del pod
wait_for 5 vf_dev "$(vf_bdf 0 0)"
wait_for 5 vf_rdma "$(vf_bdf 0 0)"
ip link set net1 name "$dev" mtu 1500
ip link set "$(pf_dev 0)" vf 0 vlan 0
