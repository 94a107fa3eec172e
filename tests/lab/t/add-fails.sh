# SPDX-License-Identifier: Apache-2.0
# Proves that an ADD that fails late says clearly why, and leaves everything as before.
vf=$(vf_bdf 0 0)
pod_add one
before=$(snapshot)
refused() { # CODE PATTERN BDF [JSON]
	fails plugin ADD "$(conf "$3" "${4:-}")" one net1
	expect_error "$1" "$2"
	expect_same "$before" "$(snapshot)"
}

modprobe dummy # the name is taken
ip -n one link add net1 type dummy
refused 4 'CNI_IFNAME net1' "$vf"
ip -n one link del net1
ip -n one link add x type dummy
ip -n one link property add dev x altname net1
refused 4 'CNI_IFNAME net1' "$vf"
ip -n one link del x

refused 7 'mtu: 9001 is above 9000, the MTU of PF' "$vf" '{"mtu": 9001}'
refused 100 'PF eth0: set vlan of VF 0 to 100 qos 3 802.1ad: Protocol not supported' "$vf" '{"vlan": 100, "vlanProto": "802.1ad"}'
refused 100 'mlx5_6.*move|move RDMA device mlx5_6' "$(vf_bdf 1 2)"
refused 7 'rdma.required' "$(vf_bdf 1 3)" '{"rdma": {"required": true}}'
refused 7 'ipam.type: plugin no-such-plugin .*CNI_PATH' "$vf" '{"ipam": {"type": "no-such-plugin"}}'
refused 1 'host-local: incompatible CNI version' "$vf" '{"ipam": {"type": "host-local"}}' # Debian's knows up to 1.0.0

only_one='{"ipam": {"subnet": "10.0.100.0/30", "gateway": "10.0.100.1"}}'
pod_add two
ok plugin ADD "$(conf "$(vf_bdf 0 1)" "$only_one")" two net1
before=$(snapshot)
refused 102 'exhausted' "$vf" "$only_one"
ok plugin DEL "$(conf "$(vf_bdf 0 1)" "$only_one")" two net1
pod_del one two
