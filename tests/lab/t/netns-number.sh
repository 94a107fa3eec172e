# SPDX-License-Identifier: Apache-2.0
# Proves that a new namespace which has the inode number of a dead one is not taken for it: a pod whose DEL never came does
# not hold its VF for ever, and repair sees that it is gone.
before=$(snapshot)
vf=$(vf_bdf 0 0)
number() { stat -L -c %i "/run/netns/$1"; }
# The kernel gives the lowest number that is free: once the first pod's namespace is gone, that is its number.
successor() { # NAME NUMBER
	pod_add "$1"
	[[ $(number "$1") != "$2" ]] || return 0
	pod_del "$1"
	return 1
}

pod_add one
was=$(number one)
ok plugin ADD "$(conf "$vf")" one net1
pod_del one
wait_for 5 vf_dev "$vf"
wait_for 10 successor two "$was"
[[ $("$BUILD/cni-sriov-rdma/cni-sriov-rdma" list --json | jq -r '.[0].state') == gone ]]
ok plugin ADD "$(conf "$vf")" two net1
[[ $(pod_rdma two) == mlx5_0 ]]
ok plugin DEL "$(conf "$vf")" two net1
pod_del two
expect_same "$before" "$(snapshot)"

pod_add one # a process in the new namespace, which has another path: it is found by its number
was=$(number one)
ok plugin ADD "$(conf "$vf")" one net1
pod_del one
wait_for 5 vf_dev "$vf"
wait_for 10 successor three "$was"
ip netns exec three sleep 60 &
wait_for 5 test "/proc/$!/ns/net" -ef /run/netns/three
"$BUILD/cni-sriov-rdma/cni-sriov-rdma" repair
stop $!
pod_del three
expect_same "$before" "$(snapshot)"
