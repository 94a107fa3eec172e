# SPDX-License-Identifier: Apache-2.0
# Proves that what ib-sriov-cni attached before it was replaced, with GUID or without, the RDMA device isolated by itself,
# moved by a chained rdma-cni or left on the host, is undone from its state file as legacy.sh has it of the other two.
# The attachments are made here step by step as that plugin makes them, with udev's part in it.
. "$REPO/tests/lab/guest/infiniband.sh"
igb=$(snapshot)
ib_setup
vf=${IB_VFS[1]}
theirs=/var/lib/cni/ib-sriov
own_guid=02:00:00:00:00:00:01:01 pod_guid=02:aa:bb:cc:00:00:00:01
ib_guid 1 $own_guid
udev() { # names by the PCI address, of what the driver or IPoIB has made anew
	[[ $(vf_dev "$vf") == ibrail1 ]] || ip link set "$(vf_dev "$vf")" name ibrail1
	[[ $(vf_rdma "$vf") == "" || $(vf_rdma "$vf") == rail1 ]] || rdma dev set "$(vf_rdma "$vf")" name rail1
}
udev

ib_state() { # GUID ISOLATED [JSON]: in the form of ib-sriov-cni since it isolates RDMA
	jq -nc --arg vf "$vf" --arg pf "$IB_PF" --arg guid "$1" --arg was "${1:+$own_guid}" --argjson isolated "$2" \
		--argjson more "${3:-{\}}" '{Master: $pf, VFID: 1, HostIFNames: "ibrail1", HostIFGUID: $was, ContIFNames: "net1",
		args: {cni: null}, cniVersion: "1.0.0", deviceID: $vf, name: "ib-net", type: "ib-sriov", pkey: "", link_state: "enable",
		ipam: {type: "cni-ipam", subnet: "10.0.9.0/24"}, runtimeConfig: {infinibandGUID: $guid}}
		+ (if $isolated then {rdmaIsolation: true, RdmaNetState: {version: "", deviceID: $vf, sandboxRdmaDevName: "rail1",
			containerRdmaDevName: "rail1"}}
		else {RdmaNetState: {version: "", deviceID: "", sandboxRdmaDevName: "", containerRdmaDevName: ""}} end) * $more'
}
# attach_as_they_do HOW POD CID: HOW is of the words guid, isolated, chained
attach_as_they_do() {
	local guid="" isolated=false dev
	ip link set "$IB_PF" vf 1 state enable
	if [[ $1 == *guid* ]]; then
		guid=$pod_guid
		ib_guid 1 $guid
		udev
	fi
	if [[ $1 == *isolated* ]]; then
		isolated=true
		rdma dev set rail1 netns "$2"
		udev # IPoIB's interface is another one now
	fi
	dev=$(vf_dev "$vf")
	ip link set "$dev" down
	ip link set "$dev" name vfdev7
	ip link set vfdev7 netns "$2"
	ip -n "$2" link set vfdev7 name net1
	ip -n "$2" link set net1 up
	mkdir -p $theirs
	ib_state "$guid" $isolated >"$theirs/$3-net1"
	if [[ $1 == *chained* ]]; then
		mkdir -p /var/lib/cni/rdma
		rdma dev set rail1 netns "$2" # which takes the pod's interface away again
		jq -nc --arg vf "$vf" '{version: "1.0", deviceID: $vf, sandboxRdmaDevName: "rail1", containerRdmaDevName: "rail1"}' \
			>"/var/lib/cni/rdma/ib-net-$3-net1"
	fi
}
rdma_conf=$(conf "$vf" '{"type": "rdma", "name": "ib-net", "ipam": null}')
ib_conf=$(conf "$vf" '{"type": "ib-sriov", "name": "ib-net", "ipam": null}')
del() { # POD CID: the chain, from its end
	CID=$2 ok plugin DEL "$rdma_conf" "$1" net1
	CID=$2 ok plugin DEL "$ib_conf" "$1" net1
}

pod_add one
before=$(snapshot)
while read -r how way; do
	attach_as_they_do "$how" one c1
	case $way in
	alive)
		del one c1
		;;
	unknown)
		NETNS="" del one c1
		;;
	dead)
		pod_del one
		NETNS="" del one c1
		pod_add one
		;;
	another) # another pod has the path by now
		pod_del one
		pod_add one
		del one c1
		;;
	first) # out of order
		CID=c1 ok plugin DEL "$ib_conf" one net1
		;;
	lossy) # the address is released by what they have kept
		CID=c1 PLUGIN=cni-ipam ok plugin ADD <(jq -n '{cniVersion: "1.0.0", name: "ib-net", type: "x",
			ipam: {type: "cni-ipam", subnet: "10.0.9.0/24"}}') one net1
		CID=c1 ok plugin DEL <(jq -n '{cniVersion: "1.0.0", name: "ib-net", type: "ib-sriov"}') one net1
		;;
	esac
	del one c1 # again: there is nothing, or only the chain's end
	expect_same "$before" "$(snapshot)"
done <<'END'
guid,isolated alive
guid,isolated unknown
guid,isolated dead
guid another
guid lossy
isolated unknown
guid,chained alive
guid,chained first
END

# interrupted, or a driver that does not take the VF: the next DEL goes on
attach_as_they_do guid,isolated one c1
"$BUILD/tests/sweep/inject" --kill-after 1 --match /unbind env CNI_COMMAND=DEL CNI_CONTAINERID=c1 CNI_NETNS=/run/netns/one \
	CNI_IFNAME=net1 CNI_PATH="$CNI_PATH" "$BUILD/cni-sriov-rdma/cni-sriov-rdma" \
	<"$ib_conf" >"$said/stdout" 2>/dev/null && fail "it was not killed"
[[ ! -e /sys/bus/pci/devices/$vf/driver && -e $theirs/c1-net1 ]]
del one c1
expect_same "$before" "$(snapshot)"
attach_as_they_do guid,isolated one c1
echo 1 >/sys/module/fakehca/parameters/fail_probes
CID=c1 fails plugin DEL "$ib_conf" one net1
expect_error 100 "VF $vf: bind its driver fakehca again: Input/output error"
del one c1
expect_same "$before" "$(snapshot)"

# a GUID that has never been set is zero, which cannot be set: all ones, as they do it
attach_as_they_do guid,isolated one c1
ib_state $pod_guid true '{"HostIFGUID": "00:00:00:00:00:00:00:00"}' >$theirs/c1-net1
del one c1
[[ $(ib_guid 1) == "ff:ff:ff:ff:ff:ff:ff:ff ff:ff:ff:ff:ff:ff:ff:ff" ]]
ib_guid 1 $own_guid
udev
expect_same "$before" "$(snapshot)"

# a late DEL of the old pod, when a new one has the VF: one of theirs, then one of ours
pod_add two
idle=$(snapshot)
attach_as_they_do guid,isolated one c1
held=$(snapshot)
for netns in "" /run/netns/two; do
	cp $theirs/c1-net1 $theirs/old-net1
	touch -r $theirs/c1-net1 -d '-1 second' $theirs/old-net1
	NETNS=$netns CID=old ok plugin DEL "$ib_conf" two net1
	expect_same "$held" "$(snapshot)"
done
del one c1
c=$(conf "$vf" '{"type": "ib-sriov", "name": "ib-net", "vlan": null, "vlanQoS": null, "mtu": 2000,
	"runtimeConfig": {"infinibandGUID": "02:aa:bb:cc:00:00:00:02"}}')
ok plugin ADD "$c" two net1
held=$(snapshot)
ib_state $pod_guid true >$theirs/old-net1
NETNS=/run/netns/one CID=old ok plugin DEL "$ib_conf" one net1
expect_same "$held" "$(snapshot)"
ok plugin DEL "$c" two net1
expect_same "$idle" "$(snapshot)"

# no DEL comes for a pod that is gone: the next ADD puts the VF right first, and its DEL leaves nothing of the old one
for how in guid,isolated plain; do
	attach_as_they_do $how one c1
	pod_del one
	ok plugin ADD "$c" two net1
	[[ ! -e $theirs/c1-net1 ]]
	ok plugin DEL "$c" two net1
	pod_add one
	expect_same "$idle" "$(snapshot)"
done
# one that lives has its VF: the ADD is refused, and nothing changes
attach_as_they_do guid,isolated one c1
held=$(snapshot)
fails plugin ADD "$c" two net1
expect_error 11 "VF $vf: its interface is in another network namespace"
expect_same "$held" "$(snapshot)"
del one c1
expect_same "$idle" "$(snapshot)"

# of an earlier boot: nothing of it is restored
ib_state $pod_guid true '{"HostIFGUID": "02:00:00:00:00:00:00:66", "HostIFNames": "wrong"}' >$theirs/c1-net1
touch -d '1 year ago' $theirs/c1-net1
NETNS="" del one c1
expect_same "$idle" "$(snapshot)"

# user space's: they keep no GUID of it; the link state is restored, and the driver stays
modprobe uio_pci_generic
echo uio_pci_generic >"/sys/bus/pci/devices/$vf/driver_override"
echo "$vf" >/sys/bus/pci/drivers/fakehca/unbind
echo "$vf" >/sys/bus/pci/drivers_probe
idle=$(snapshot)
ip link set "$IB_PF" vf 1 state enable
ib_state "" false '{"HostIFNames": "", "vfioPciMode": true}' >$theirs/c1-net1
del one c1
expect_same "$idle" "$(snapshot)"

ib_teardown
rm -rf $theirs /var/lib/cni/rdma
pod_del one two
expect_same "$igb" "$(snapshot)"
