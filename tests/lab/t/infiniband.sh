# SPDX-License-Identifier: Apache-2.0
# Proves, on a fake HCA below the kernel's own IPoIB, that an InfiniBand VF is attached as ib-sriov-cni does it, and comes
# back whatever happens: GUIDs that take effect, the RDMA device and the interface that is made anew, the driver bound.
. "$REPO/tests/lab/guest/infiniband.sh"
igb=$(snapshot)
ib_setup
vf=${IB_VFS[0]} rdma=$(vf_rdma "${IB_VFS[0]}")
driver() { basename "$(readlink "/sys/bus/pci/devices/$vf/driver")"; }
ib_conf() { # GUID [JSON]
	conf "$vf" "$(jq -n --arg guid "$1" --argjson more "${2:-{\}}" '{vlan: null, vlanQoS: null, mtu: 2000,
		runtimeConfig: {infinibandGUID: $guid}} * $more')"
}
guid=02:aa:bb:cc:00:00:00:01

# a GUID that has never been set is zero, which cannot be set: all ones afterwards
pod_add one
c=$(ib_conf $guid)
[[ $(ib_guid 0) == "00:00:00:00:00:00:00:00 00:00:00:00:00:00:00:00" ]]
zero=$(snapshot)
ok plugin ADD "$c" one net1
[[ $(ib_guid 0) == "$guid $guid" ]]
expect_result '.interfaces[0] | .mtu == 2000 and (.mac | length == 59 and endswith("02:aa:bb:cc:00:00:00:01"))'
[[ $(ip -n one -j link show net1 | jq -r '.[0].address') == *"$guid" ]]
[[ $(pod_rdma one) == "$rdma" ]]
in_pod one rdma dev show "$rdma" | grep -q 'node_guid 02aa:bbcc:0000:0001'
[[ -n $(pod_ip one) ]]
ok plugin CHECK "$c" one net1
ip link set "$IB_PF" vf 0 port_guid 02:00:00:00:00:00:00:66
fails plugin CHECK "$c" one net1
expect_error 101 'port guid is 02:00:00:00:00:00:00:66, not 02:aa:bb:cc:00:00:00:01'
ok plugin DEL "$c" one net1
[[ $(ib_guid 0) == "ff:ff:ff:ff:ff:ff:ff:ff ff:ff:ff:ff:ff:ff:ff:ff" ]]
diff <(sed 's/ff:ff:ff:ff:ff:ff:ff:ff/00:00:00:00:00:00:00:00/; s/ffff:ffff:ffff:ffff/0000:0000:0000:0000/' <(snapshot)) \
	<(echo "$zero") | grep '^[<>]' || true
ok plugin ADD "$c" one net1
ok plugin DEL "$c" one net1
[[ $(ib_guid 0) == "ff:ff:ff:ff:ff:ff:ff:ff ff:ff:ff:ff:ff:ff:ff:ff" ]]
ib_teardown
pod_del one
expect_same "$igb" "$(snapshot)"
