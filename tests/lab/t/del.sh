# SPDX-License-Identifier: Apache-2.0
# Proves that DEL succeeds and leaves the VF as before, however it comes: twice, without a netns, after the pod's death,
# with a configuration that lost its keys, for a container nobody knows.
before=$(snapshot)
vf=$(vf_bdf 0 0)
c=$(conf "$vf")
as_before() {
	ok plugin "$@"
	[[ ! -s $said/stdout ]] || fail "DEL printed $(<"$said/stdout")"
	pod_del one
	wait_for 5 vf_dev "$vf" # a namespace that DEL did not need sends nothing home any more
	expect_same "$before" "$(snapshot)"
}

pod_add one
ok plugin ADD "$c" one net1
ok plugin DEL "$c" one net1
as_before DEL "$c" one net1

pod_add one
ok plugin ADD "$c" one net1
NETNS="" as_before DEL "$c" one net1

pod_add one # as Multus does with a conflist that has no cniVersion
ok plugin ADD "$c" one net1
as_before DEL <(echo '{"cniVersion": "1.1.0", "name": "fabric", "type": "cni-sriov-rdma"}') one net1

pod_add one # a configuration that has become wrong since
ok plugin ADD "$c" one net1
as_before DEL "$(conf "$vf" '{"vlan": 9999, "deviceID": "nonsense", "logLevel": 3}')" one net1


for path in /run/netns/one ""; do # the namespace dies first
	pod_add one
	ok plugin ADD "$c" one net1
	pod_del one
	NETNS=$path ok plugin DEL "$c" one net1
	expect_same "$before" "$(snapshot)"
done

pod_add one # its path dies, but a process still lives in it
ok plugin ADD "$c" one net1
ip netns exec one sleep 60 &
pid=$!
wait_for 5 test "/proc/$pid/ns/net" -ef /run/netns/one
pod_del one
ok plugin DEL "$c" one net1
expect_same "$before" "$(snapshot)"
stop $pid

pod_add one
as_before DEL "$c" one net1 # never attached
CID=nobody ok plugin DEL "$c" one net1
