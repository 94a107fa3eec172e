# SPDX-License-Identifier: Apache-2.0
# Proves the lab itself: what an attach must achieve, done by hand with ip and rdma, for two pods on one node.
attach() { # POD N ADDRESS
	local dev
	dev=$(vf_dev "$(vf_bdf 0 "$2")")
	ip link set "$(pf_dev 0)" vf "$2" vlan 100 qos 3
	ip link set "$dev" netns "$1"
	rdma dev set "mlx5_$2" netns "$1"
	ip -n "$1" link set "$dev" name net1 mtu 4500
	ip -n "$1" link set net1 up
	ip -n "$1" addr add "$3/24" dev net1
}

detach() { # POD N NAME: the dying namespace sends both devices home, and all that was changed is still changed
	pod_del "$1"
	wait_for 5 vf_dev "$(vf_bdf 0 "$2")"
	wait_for 5 vf_rdma "$(vf_bdf 0 "$2")"
	ip link set net1 name "$3" mtu 1500
	ip link set "$(pf_dev 0)" vf "$2" vlan 0
}

before=$(snapshot)
first=$(vf_dev "$(vf_bdf 0 0)") second=$(vf_dev "$(vf_bdf 0 1)")
pod_add one two
attach one 0 10.0.100.1
attach two 1 10.0.100.2

[[ $(in_pod one rdma -j dev | jq -r '.[].ifname') == mlx5_0 ]]
fails prints "mlx5_[01]:" rdma dev
ping_ok one 10.0.100.2
rping_ok one two 10.0.100.2
send_bw_ok one mlx5_0 two mlx5_1 10.0.100.2

detach one 0 "$first"
detach two 1 "$second"
expect_same "$before" "$(snapshot)"
