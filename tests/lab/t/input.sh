# SPDX-License-Identifier: Apache-2.0
# Proves that bad input gives one JSON error with the right code, naming field and value, and changes nothing.
# (What a configuration can have wrong in itself is in tests/unit/attach.)
before=$(snapshot)
vf=$(vf_bdf 0 0)
pod_add one
bad() { # CODE PATTERN JSON
	fails plugin ADD "$(conf "$vf" "$3")" one net1
	expect_error "$1" "$2"
}

bad 7 'deviceID .\.\./\.\./etc. is not a PCI' '{"deviceID": "../../etc"}'
bad 7 'deviceID 0000:7f:1f.7.*no such' '{"deviceID": "0000:7f:1f.7"}'
bad 7 "deviceID ${PFS[0]} is not an SR-IOV virtual function" "{\"deviceID\": \"${PFS[0]}\"}"
bad 7 'deviceID is missing' '{"deviceID": null}'
bad 7 'vlan: 4095 .*4094' '{"vlan": 4095}'
bad 7 'name' '{"name": "a/b"}'
bad 1 'cniVersion .0.9.9.' '{"cniVersion": "0.9.9"}'

fails plugin ADD <(echo '{"cniVersion": "1.1.0", ') one net1
expect_error 6 'line'
NETNS=/run/netns/nowhere fails plugin ADD "$(conf "$vf")" one net1
expect_error 4 'CNI_NETNS /run/netns/nowhere'
NETNS=/etc/passwd fails plugin ADD "$(conf "$vf")" one net1
expect_error 4 'CNI_NETNS /etc/passwd'
NETNS=/proc/self/ns/net fails plugin ADD "$(conf "$vf")" one net1
expect_error 4 'own network namespace'
NETNS="" fails plugin ADD "$(conf "$vf")" one net1
expect_error 4 CNI_NETNS
CID="" fails plugin ADD "$(conf "$vf")" one net1
expect_error 4 CNI_CONTAINERID
for ifname in a/b sixteen-bytes-xx; do
	fails plugin ADD "$(conf "$vf")" one "$ifname"
	expect_error 4 CNI_IFNAME
done
fails plugin ATTACH "$(conf "$vf")" one net1
expect_error 4 'CNI_COMMAND'

ok plugin VERSION <(echo '{"cniVersion": "1.0.0"}') one net1
expect_result '.cniVersion == "1.0.0" and (.supportedVersions | index("0.3.1") and index("1.1.0"))'

for ifname in n eth0.100 fifteen-bytes-x; do # any valid name
	ok plugin ADD "$(conf "$vf")" one "$ifname"
	expect_result ".interfaces[0].name == \"$ifname\""
	ok plugin DEL "$(conf "$vf")" one "$ifname"
done
pod_del one
expect_same "$before" "$(snapshot)"
