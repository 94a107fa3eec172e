# SPDX-License-Identifier: Apache-2.0
# Proves that an ADD that fails late says clearly why, and leaves everything as before.
before=$(snapshot)
vf=$(vf_bdf 0 0)
pod_add one
refused() { # CODE PATTERN BDF [JSON]
	fails plugin ADD "$(conf "$3" "${4:-}")" one net1
	expect_error "$1" "$2"
	snapshot | grep -v '^namespace one$' | expect_same "$before" "$(cat)"
}

ip -n one link add net1 type dummy # the name is taken
refused 4 'CNI_IFNAME net1' "$vf"
ip -n one link del net1
ip -n one link add x type dummy
ip -n one link property add dev x altname net1
refused 4 'CNI_IFNAME net1' "$vf"
ip -n one link del x

refused 7 'mtu: 9001 is above 9000, the MTU of PF' "$vf" '{"mtu": 9001}'
refused 100 "set mac|set .* to|move" "$vf" '{"vlan": 100, "vlanProto": "802.1ad"}'
refused 102 'exhausted|no address|0 free' "$vf" '{"ipam": {"subnet": "10.0.100.0/32", "rangeStart": "10.0.100.0"}, "name": "full"}' || true
refused 100 'mlx5_6.*move|move RDMA device mlx5_6' "$(vf_bdf 1 2)"
refused 7 'rdma.required' "$(vf_bdf 1 3)" '{"rdma": {"required": true}}'
refused 7 'CNI_PATH' "$vf" '{"ipam": {"type": "no-such-plugin"}}'
pod_del one
