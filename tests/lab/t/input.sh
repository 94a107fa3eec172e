# SPDX-License-Identifier: Apache-2.0
# Proves that bad input gives one JSON error with the right code, naming field and value, and changes nothing.
before=$(snapshot)
vf=$(vf_bdf 0 0)
pod_add one
bad() { # CODE PATTERN JSON
	fails plugin ADD "$(conf "$vf" "$3")" one net1
	expect_error "$1" "$2"
}

bad 7 'deviceID .0000:01:10. is not a PCI address' '{"deviceID": "0000:01:10"}'
bad 7 'deviceID .\.\./\.\./etc. is not a PCI' '{"deviceID": "../../etc"}'
bad 7 'deviceID 0000:7f:1f.7.*no such' '{"deviceID": "0000:7f:1f.7"}'
bad 7 "deviceID ${PFS[0]} is not an SR-IOV virtual function" "{\"deviceID\": \"${PFS[0]}\"}"
bad 7 'deviceID is missing' '{"deviceID": null}'
bad 7 'deviceID: 5' '{"deviceID": 5}'
bad 7 'vlan: 4095 .*4094' '{"vlan": 4095}'
bad 7 'vlan: -1' '{"vlan": -1}'
bad 7 'vlan: "100"' '{"vlan": "100"}'
bad 7 'vlanQoS: 8 .*7' '{"vlanQoS": 8}'
bad 7 'vlanQoS: 3 needs' '{"vlan": null}'
bad 7 'vlanQoS: 3 needs' '{"vlan": 0}'
bad 7 'vlanProto: "802.1x"' '{"vlanProto": "802.1x"}'
bad 7 'vlanProto: 802.1ad needs' '{"vlanProto": "802.1AD", "vlan": 0, "vlanQoS": 0}'
bad 7 'mtu: 67 ' '{"mtu": 67}'
bad 7 'mac: "01:00:00:00:00:01"' '{"mac": "01:00:00:00:00:01"}'
bad 7 'mac: "00:00:00:00:00:00"' '{"mac": "00:00:00:00:00:00"}'
bad 7 'runtimeConfig.mac: "x"' '{"runtimeConfig": {"mac": "x"}}'
bad 7 'spoofchk: "yes" is not on or off' '{"spoofchk": "yes"}'
bad 7 'trust: "ON"' '{"trust": "ON"}'
bad 7 'link_state: "up"' '{"link_state": "up"}'
bad 7 'min_tx_rate: 200 is above max_tx_rate, 100' '{"min_tx_rate": 200, "max_tx_rate": 100}'
bad 7 'rdma.netnsMode: "both"' '{"rdma": {"netnsMode": "both"}}'
bad 7 'rdma: true' '{"rdma": true}'
bad 7 'dataDir: "../x"' '{"dataDir": "../x"}'
bad 7 'dataDir: "/var/../x"' '{"dataDir": "/var/../x"}'
bad 7 'logLevel: "loud"' '{"logLevel": "loud"}'
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
CID="../x" fails plugin ADD "$(conf "$vf")" one net1
expect_error 4 CNI_CONTAINERID
for ifname in "" . .. a/b "a b" a:b sixteen-bytes-xx; do
	fails plugin ADD "$(conf "$vf")" one "$ifname"
	expect_error 4 CNI_IFNAME
done
fails plugin ATTACH "$(conf "$vf")" one net1
expect_error 4 'CNI_COMMAND'

ok plugin VERSION <(echo '{"cniVersion": "1.0.0"}') one net1
expect_result '.cniVersion == "1.0.0" and (.supportedVersions | index("0.3.1") and index("1.1.0"))'

for ifname in net1 n eth0.100 fifteen-bytes-x; do # any valid name
	ok plugin ADD "$(conf "$vf")" one "$ifname"
	expect_result ".interfaces[0].name == \"$ifname\""
	ok plugin DEL "$(conf "$vf")" one "$ifname"
done
pod_del one
expect_same "$before" "$(snapshot)"
