# SPDX-License-Identifier: Apache-2.0
# Proves that the plugin serves as sriov and rdma, called by those names: what sriov-network-operator renders attaches
# with and without the chained rdma; rdma does itself what another program did not; nothing fails for RDMA's sake under
# the name sriov; DEL works without a namespace and in any order.
before=$(snapshot)
vf=$(vf_bdf 0 0)
names=$said/names own=$BUILD/cni-sriov-rdma/cni-sriov-rdma
mkdir "$names"
for name in sriov ib-sriov rdma; do ln -s "$own" "$names/$name"; done
CNI_PATH=$names:$CNI_PATH

# As the operator writes it: no white space, vlan and vlanQoS always, and Multus' device in each plugin.
rendered() { # METAPLUGINS
	local conf
	conf=$(mktemp "$said/rendered.XXXX.conflist")
	printf '{"cniVersion":"1.0.0","name":"sriov-net","plugins":[{"type":"sriov","vlan":0,"spoofchk":"on","trust":"on","vlanQoS":0,"vlanProto":"802.1Q","capabilities":{"ips":true,"rdma":true},"logLevel":"info","logFile":"%s","ipam":{"type":"host-local","subnet":"10.0.7.0/24","dataDir":"%s"}}%s]}' \
		"$said/sriov.log" "$said/host-local" "$1" |
		jq -c --arg vf "$vf" '.plugins[] += {deviceID: $vf, pciBusID: $vf}' >"$conf"
	echo "$conf"
}
in_place() { # what each attachment shows
	expect_result '.interfaces[0].name == "net1" and (.ips | length == 1) and .cniVersion == "1.0.0"'
	in_pod one ip -4 -j addr show net1 | jq -e '.[0].addr_info[0].local | startswith("10.0.7.")' >/dev/null
}

pod_add one
idle=$(snapshot)
chain=$(rendered ',{"type":"rdma"}')
ok cni add "$chain" one net1
in_place
[[ $(pod_rdma one) == mlx5_0 ]]
# the work was done by sriov: there is one record, and it is sriov's
[[ $(ls /var/lib/cni/cni-sriov-rdma/attachments) == "$vf.json" ]]
[[ -z $(ls /var/lib/cni/cni-sriov-rdma/rdma 2>/dev/null) ]]
ok cni check "$chain" one net1
# CHECK is real: the device is not where it should be
ip netns attach host 1
in_pod one rdma dev set mlx5_0 netns host
fails cni check "$chain" one net1 2>/dev/null
rdma dev set mlx5_0 netns one
ip netns del host
ok cni check "$chain" one net1
ok cni del "$chain" one net1
expect_same "$idle" "$(snapshot)"

# alone, and no IPAM
alone=$(rendered '' | xargs jq -c '.plugins[0].ipam = {}' | tee "$said/alone.conflist" >/dev/null; echo "$said/alone.conflist")
ok cni add "$alone" one net1
expect_result '.ips == null or .ips == []'
[[ $(pod_rdma one) == mlx5_0 ]]
ok cni del "$alone" one net1
expect_same "$idle" "$(snapshot)"

# VLAN 0 is set where the PF had another, and given back; 802.1AD in upper case is understood, and igb cannot do it
ip link set "$(pf_dev 0)" vf 0 vlan 300
by_admin=$(snapshot)
ok cni add "$chain" one net1
ip -d -j link show "$(pf_dev 0)" | jq -e '.[0].vfinfo_list[0] | (.vlan_list[0].vlan // .vlan // 0) == 0' >/dev/null
ok cni del "$chain" one net1
expect_same "$by_admin" "$(snapshot)"
ip link set "$(pf_dev 0)" vf 0 vlan 0
jq -c '.plugins[0] += {vlan: 5, vlanProto: "802.1AD"}' "$chain" >"$said/ad.conflist"
fails cni add "$said/ad.conflist" one net1 2>/dev/null
grep -q 'Protocol not supported' "$said/stdout" "$said/stderr" || fail "$(<"$said/stdout") $(<"$said/stderr")"
expect_same "$idle" "$(snapshot)"

# another program attaches the interface: then rdma moves the device, records it, and restores it; also without being
# told the device, from the interface itself
for told in true false; do
	jq -nc --arg vf "$vf" --argjson told $told '{cniVersion: "1.0.0", name: "other", plugins: [
		{type: "host-device", pciBusID: $vf}, {type: "rdma"} + (if $told then {deviceID: $vf} else {} end)]}' >"$said/other.conflist"
	ok cni add "$said/other.conflist" one net1
	expect_result '.interfaces[0].name == "net1"'
	[[ $(pod_rdma one) == mlx5_0 ]]
	[[ -e /var/lib/cni/cni-sriov-rdma/rdma/$vf.json ]]
	[[ $("$own" list) == *"$vf "*alive* ]]
	ok cni del "$said/other.conflist" one net1
	ip link set "$(vf_dev "$vf")" alias "" # host-device leaves one
	expect_same "$idle" "$(snapshot)"
done

# by hand: DEL without a namespace, twice, sriov's first; ADD needs prevResult and shows what is wrong
rdma_conf() { # JSON
	jq -n --arg vf "$vf" --argjson more "${1:-{\}}" '{cniVersion: "1.0.0", name: "sriov-net", type: "rdma", deviceID: $vf,
		prevResult: {cniVersion: "1.0.0", interfaces: [{name: "net1", mac: "02:00:00:00:00:01", sandbox: "/run/netns/one"}], dns: {}}}
		* $more | del(..|nulls)' >"$said/rdma.conf"
	echo "$said/rdma.conf"
}
fails plugin ADD "$(rdma_conf '{"prevResult": null}')" one net1
expect_error 7 'prevResult is missing'
fails plugin ADD "$(rdma_conf '{"deviceID": null}')" one net1
expect_error 7 'deviceID is missing'
fails plugin ADD "$(rdma_conf '{"deviceID": "0000:7f:00.0"}')" one net1
expect_error 7 'no such PCI device'
sriov_conf=$(conf "$vf" '{"type": "sriov", "name": "sriov-net"}')
expect_same "$idle" "$(snapshot)"
while read -r netns order; do
	ok plugin ADD "$(conf "$vf" '{"type": "sriov", "name": "sriov-net", "rdma": {"netnsMode": "keep"}}')" one net1
	ok plugin ADD "$(rdma_conf)" one net1
	expect_result '.interfaces[0].mac == "02:00:00:00:00:01"'
	for name in $order; do
		NETNS=${netns/-/} ok plugin DEL "$([[ $name == rdma ]] && rdma_conf || echo "$sriov_conf")" one net1
	done
	expect_same "$idle" "$(snapshot)"
done <<'END'
- rdma rdma sriov
/run/netns/gone sriov rdma
/run/netns/one sriov rdma rdma
END
# its own work: the pod ends first, the device comes home by itself, and DEL has no namespace; then GC, and repair
ok plugin ADD "$(rdma_conf)" one net1
[[ $(pod_rdma one) == mlx5_0 ]]
pod_del one
NETNS="" ok plugin DEL "$(rdma_conf)" one net1
expect_same "$before" "$(snapshot)"
pod_add one
ok plugin ADD "$(rdma_conf)" one net1
NETNS="" CID="" ok plugin GC "$(rdma_conf '{"cniVersion": "1.1.0", "prevResult": null, "cni.dev/valid-attachments": []}')" "" ""
expect_same "$idle" "$(snapshot)"

# a device that cannot move: sriov attaches without it, and says so in its log; rdma refuses, as rdma-cni does
rdma link delete mlx5_0
rdma_add "$vf" mlx5_0 fixed
fixed=$(snapshot)
rm -f "$said/sriov.log"
ok cni add "$(rendered '')" one net1
in_place
grep -q 'its RDMA device stays behind' "$said/sriov.log"
ok cni check "$(rendered '')" one net1
ok cni del "$(rendered '')" one net1
expect_same "$fixed" "$(snapshot)"
fails cni add "$chain" one net1 2>/dev/null
cni del "$chain" one net1
expect_same "$fixed" "$(snapshot)"
fails plugin ADD "$(conf "$vf" '{"type": "sriov", "rdma": {"required": true}}')" one net1
expect_error 100 'move RDMA device'
expect_same "$fixed" "$(snapshot)"
rdma link delete mlx5_0
rdma_add "$vf" mlx5_0

# another program named rdma is installed: sriov leaves the device to it
mkdir "$said/foreign"
printf '#!/bin/sh\nexit 0\n' >"$said/foreign/rdma"
chmod +x "$said/foreign/rdma"
CNI_PATH=$said/foreign:$CNI_PATH ok cni add "$(rendered '')" one net1
[[ -z $(pod_rdma one) ]]
CNI_PATH=$said/foreign:$CNI_PATH ok cni del "$(rendered '')" one net1
expect_same "$idle" "$(snapshot)"

# shared mode: sriov attaches and switches nothing; rdma refuses, and STATUS tells
pod_gone one
ok "$own" rdma-mode shared
pod_add one
shared=$(snapshot)
ok cni add "$(rendered '')" one net1
in_place
ok cni check "$(rendered '')" one net1
ok cni del "$(rendered '')" one net1
fails plugin ADD "$(rdma_conf)" one net1
expect_error 100 'RDMA netns mode is shared'
CID="" NETNS="" fails plugin STATUS "$(rdma_conf '{"cniVersion": "1.1.0", "prevResult": null}')" "" ""
expect_error 50 'shared mode'
CID="" NETNS="" ok plugin STATUS "$(conf "$vf" '{"type": "sriov"}')" "" ""
expect_same "$shared" "$(snapshot)"
pod_gone one
ok "$own" rdma-mode exclusive
expect_same "$before" "$(snapshot)"
