# SPDX-License-Identifier: Apache-2.0
# Proves that what sriov-cni and rdma-cni attached before they were replaced is undone from their state files: by DEL
# with and without a namespace, whoever has the VF by then, whatever is in the files; and by the next ADD of a VF whose
# pod is gone. The attachments are made here step by step as those plugins make them.
before=$(snapshot)
vf=$(vf_bdf 0 0)
theirs=/var/lib/cni/sriov
own_mac=$(ip -j link show "$(vf_dev "$vf")" | jq -r '.[0].address')

sriov_state() { # [JSON]: in the form of sriov-cni 2.9
	jq -nc --arg vf "$vf" --arg pf "$(pf_dev 0)" --arg mac "$own_mac" --argjson more "${1:-{\}}" '{MAC: "02:00:00:00:0a:01",
		MTU: 4500, Master: $pf, VFID: 0, cniVersion: "1.0.0", deviceID: $vf, name: "sriov-net", type: "sriov",
		ipam: {type: "cni-ipam", subnet: "10.0.9.0/24"}, link_state: "", max_tx_rate: 200, min_tx_rate: null, spoofchk: "off",
		trust: "on", vlan: 100, vlanProto: "802.1q", vlanQoS: 3, OrigVfState: {HostIFName: "eth2", SpoofChk: true, Trust: false,
		AdminMAC: $mac, EffectiveMAC: $mac, Vlan: 0, VlanQoS: 0, VlanProto: 129, MinTxRate: 0, MaxTxRate: 0,
		LinkState: 0, MTU: 1500}} * $more'
}
attach_as_they_do() { # POD CID
	local dev
	dev=$(vf_dev "$vf")
	[[ $dev == eth2 ]]
	mkdir -p $theirs/pci /var/lib/cni/rdma
	ip link set "$(pf_dev 0)" vf 0 mac 00:00:00:00:00:00 # igb's trap, see mac.sh
	ip link set "$dev" address 02:00:00:00:0a:01 mtu 4500 netns "$1" name net1
	ip link set "$(pf_dev 0)" vf 0 vlan 100 qos 3
	ip link set "$(pf_dev 0)" vf 0 mac 02:00:00:00:0a:01
	ip link set "$(pf_dev 0)" vf 0 spoofchk off
	ip link set "$(pf_dev 0)" vf 0 trust on
	ip link set "$(pf_dev 0)" vf 0 max_tx_rate 200
	ip -n "$1" link set net1 up
	rdma dev set mlx5_0 netns "$1"
	sriov_state >"$theirs/$2-net1"
	echo -n "/run/netns/$1" >"$theirs/pci/$vf"
	jq -nc --arg vf "$vf" '{version: "1.0", deviceID: $vf, sandboxRdmaDevName: "mlx5_0", containerRdmaDevName: "mlx5_0"}' \
		>"/var/lib/cni/rdma/sriov-net-$2-net1"
}
mac_by_driver() { # what igb says of a VF whose MAC no administrator has set
	ip link set "$(pf_dev 0)" vf 0 mac 00:00:00:00:00:00
	ip link set eth2 address 02:00:00:00:05:02
	ip link set eth2 address "$own_mac"
}
del() { # POD CID: the chain, from its end
	CID=$2 ok plugin DEL "$(conf "$vf" '{"type": "rdma", "name": "sriov-net", "ipam": null}')" "$1" net1
	CID=$2 ok plugin DEL "$(conf "$vf" "{\"type\": \"sriov\", \"name\": \"sriov-net\", \"ipam\": ${ipam:-null}}")" "$1" net1
}
# A namespace that dies takes the MAC and MTU to the host; otherwise the record of igb's PF is all that they kept.
for way in alive unknown dead "lossy configuration"; do
	pod_add one
	idle=$(snapshot)
	attach_as_they_do one c1
	case $way in
	alive)
		del one c1
		;;
	unknown) # ctr never tells; sriov-cni's own file does
		NETNS="" del one c1
		;;
	dead)
		pod_del one
		NETNS="" del one c1
		pod_add one
		;;
	lossy*) # the address is released by what they have kept
		CID=c1 PLUGIN=cni-ipam ok plugin ADD <(jq -n '{cniVersion: "1.0.0", name: "sriov-net", type: "x", ipam: {type: "cni-ipam", subnet: "10.0.9.0/24"}}') one net1
		CID=c1 ok plugin DEL <(jq -n '{cniVersion: "1.0.0", name: "sriov-net", type: "rdma"}') one net1
		CID=c1 ok plugin DEL <(jq -n '{cniVersion: "1.0.0", name: "sriov-net", type: "sriov"}') one net1
		;;
	esac
	expect_same "$idle" "$(snapshot)"
	del one c1 # again: there is nothing
	expect_same "$idle" "$(snapshot)"
	pod_del one
done

# a late DEL of the old pod, when a new one has the VF: one of theirs, then one of ours
pod_add one two
attach_as_they_do one c1
cp $theirs/c1-net1 $theirs/old-net1
touch -d '1 second ago' $theirs/old-net1
held=$(snapshot | grep -v old-net1)
NETNS=/run/netns/gone CID=old ok plugin DEL "$(conf "$vf" '{"type": "sriov", "name": "sriov-net", "ipam": null}')" two net1
expect_same "$held" "$(snapshot)"
del one c1
sriov_state >$theirs/old-net1
c=$(conf "$vf" '{"type": "sriov", "name": "sriov-net"}')
ok plugin ADD "$c" two net1
held=$(snapshot | grep -v old-net1)
NETNS=/run/netns/one CID=old ok plugin DEL "$(conf "$vf" '{"type": "sriov", "name": "sriov-net", "ipam": null}')" one net1
expect_same "$held" "$(snapshot)"
ok plugin DEL "$c" two net1

# no DEL comes for a pod that is gone: the next ADD puts the VF right first, and its DEL leaves nothing of the old one
attach_as_they_do one c1
pod_del one
wait_for 5 vf_dev "$vf"
ok plugin ADD "$c" two net1
[[ ! -e $theirs/c1-net1 && ! -e $theirs/pci/$vf ]]
ok plugin DEL "$c" two net1
rm /var/lib/cni/rdma/*
pod_del two
expect_same "$before" "$(snapshot)"

# of an earlier boot: nothing of it is restored
pod_add one
sriov_state '{"OrigVfState": {"Vlan": 55, "HostIFName": "wrong"}}' >$theirs/c1-net1
touch -d '1 year ago' $theirs/c1-net1
NETNS="" del one c1
# damaged, or hostile: it is set aside, the VF comes home, and DEL succeeds; a link is not followed
idle=$(snapshot)
for content in '' '{"deviceID": "../../../etc/passwd"}' "$(sriov_state '{"OrigVfState": {"HostIFName": "../x"}}')"; do
	attach_as_they_do one c1
	echo "$content" >$theirs/c1-net1
	del one c1
	[[ -e $theirs/c1-net1.damaged && -z $(ip -n one link show net1 2>/dev/null || true) ]]
	[[ $(vf_dev "$vf") == eth0v0 ]]
	# what was before is lost, so the administrator puts it right
	ip link set eth0v0 name eth2 mtu 1500
	ip link set "$(pf_dev 0)" vf 0 vlan 0 spoofchk on
	ip link set "$(pf_dev 0)" vf 0 trust off
	ip link set "$(pf_dev 0)" vf 0 max_tx_rate 0
	mac_by_driver
	rm -f $theirs/c1-net1.damaged "$theirs/pci/$vf"
	expect_same "$idle" "$(snapshot)"
done
echo precious >"$said/precious"
ln -s "$said/precious" $theirs/c1-net1
del one c1
[[ $(<"$said/precious") == precious && ! -e $theirs/c1-net1 ]]
rm -r $theirs /var/lib/cni/rdma
mac_by_driver
pod_del one
expect_same "$before" "$(snapshot)"
