# SPDX-License-Identifier: Apache-2.0
# Proves, on a fake HCA below the kernel's own IPoIB, that an InfiniBand VF is attached as ib-sriov-cni does it, and comes
# back whatever happens: GUIDs that take effect, the RDMA device and the interface that is made anew, the driver bound.
. "$REPO/tests/lab/guest/infiniband.sh"
igb=$(snapshot)
ib_setup
vf=${IB_VFS[0]} rdma=$(vf_rdma "${IB_VFS[0]}")
driver() { basename "$(readlink "/sys/bus/pci/devices/$vf/driver")"; }
address() { ip -n "$1" -j link show "${2:-net1}" | jq -r '.[0].address'; }
ib_conf() { # VF [JSON]
	conf "$1" "$(jq -n --argjson more "${2:-{\}}" '{vlan: null, vlanQoS: null, mtu: 2000} * $more')"
}
with_guid() { # VF GUID [JSON]
	ib_conf "$1" "$(jq -n --arg guid "$2" --argjson more "${3:-{\}}" '{runtimeConfig: {infinibandGUID: $guid}} * $more')"
}
guid=02:aa:bb:cc:00:00:00:01
zero="00:00:00:00:00:00:00:00 00:00:00:00:00:00:00:00"
ones="ff:ff:ff:ff:ff:ff:ff:ff ff:ff:ff:ff:ff:ff:ff:ff"
pod_add one two
unset_guids=$(snapshot)

# nothing is changed when it is refused, or when no GUID is asked for
refused() { # PATTERN JSON
	fails plugin ADD "$(ib_conf "$vf" "$2")" one net1
	expect_error 7 "$1"
}
refused 'mac: VF .* is an InfiniBand VF .PF ib0.*GUID' '{"mac": "02:00:00:00:00:01"}'
refused 'vlan: VF .* is an InfiniBand VF .*partitions' '{"vlan": 100}'
refused 'spoofchk: VF' '{"spoofchk": "on"}'
refused 'max_tx_rate: VF' '{"max_tx_rate": 100}'
refused 'args.cni.guid: "00:00:.*" is not a GUID' '{"args": {"cni": {"guid": "00:00:00:00:00:00:00:00"}}}'
fails plugin ADD "$(conf "$(vf_bdf 0 0)" "{\"args\": {\"cni\": {\"guid\": \"$guid\"}}}")" one net1
expect_error 7 'args.cni.guid: VF .* is not an InfiniBand VF: its PF eth0 is Ethernet'
c=$(ib_conf "$vf" '{"ibKubernetesEnabled": true, "pkey": "0x5"}')
fails plugin ADD "$c" one net1
expect_error 11 'ibKubernetesEnabled: .*not "configured"'
expect_same "$unset_guids" "$(snapshot)"

# without a GUID: the driver is left alone, and the interface is the one that the RDMA device's move has made
"$BUILD/tests/sweep/inject" --count --points "$said/points" env CNI_COMMAND=ADD CNI_CONTAINERID=cid-one \
	CNI_NETNS=/run/netns/one CNI_IFNAME=net1 CNI_PATH="$CNI_PATH" "$BUILD/cni-sriov-rdma/cni-sriov-rdma" \
	<"$(ib_conf "$vf")" >"$said/stdout"
expect_result '.interfaces[0] | .mtu == 2000 and (.mac | length == 59)'
fails grep -E 'bind|NEWNEIGH|a packet' "$said/points" # nor is anything announced in Ethernet's form
[[ $(pod_rdma one) == "$rdma" && -n $(pod_ip one) ]]
[[ $(ib_guid 0) == "$zero" ]]
ok plugin CHECK "$(ib_conf "$vf")" one net1
ok plugin DEL "$(ib_conf "$vf")" one net1
expect_same "$unset_guids" "$(snapshot)"

# rdmaIsolation: without it, the RDMA device stays, and so does the interface that it has
c=$(ib_conf "$vf" '{"rdmaIsolation": false}')
ok plugin ADD "$c" one net1
[[ $(vf_rdma "$vf") == "$rdma" && -z $(pod_rdma one) && $(address one) == *:00:00:00:00:00:00:00:00 ]]
ok plugin DEL "$c" one net1
expect_same "$unset_guids" "$(snapshot)"

# a GUID that has never been set is zero, which cannot be set: all ones afterwards
c=$(with_guid "$vf" $guid)
ok plugin ADD "$c" one net1
[[ $(ib_guid 0) == "$guid $guid" ]]
expect_result '.interfaces[0] | .mtu == 2000 and (.mac | endswith("02:aa:bb:cc:00:00:00:01"))'
[[ $(address one) == *"$guid" ]]
[[ $(pod_rdma one) == "$rdma" ]]
prints 'node_guid 02aa:bbcc:0000:0001' in_pod one rdma dev show "$rdma"
ok plugin CHECK "$c" one net1
ip link set "$IB_PF" vf 0 port_guid 02:00:00:00:00:00:00:66
fails plugin CHECK "$c" one net1
expect_error 101 'port guid is 02:00:00:00:00:00:00:66, not 02:aa:bb:cc:00:00:00:01'
ok plugin DEL "$c" one net1
[[ $(ib_guid 0) == "$ones" ]]
[[ $(ip -j link show "$(vf_dev "$vf")" | jq -r '.[0].address') == *"${ones#* }" ]]
# killed before it is set, it stays zero; the driver is bound again
vf=${IB_VFS[1]}
"$BUILD/tests/sweep/inject" --kill-before 1 --match /unbind env CNI_COMMAND=ADD CNI_CONTAINERID=cid-one \
	CNI_NETNS=/run/netns/one CNI_IFNAME=net1 CNI_PATH="$CNI_PATH" "$BUILD/cni-sriov-rdma/cni-sriov-rdma" \
	<"$(with_guid "$vf" $guid)" >"$said/stdout" && fail "it was not killed"
ok plugin DEL "$(with_guid "$vf" $guid)" one net1
[[ $(ib_guid 1) == "$zero" && $(driver) == fakehca ]]

# from here on, all comes back: a GUID that was set, and names that are not the driver's
for n in 0 1; do ib_guid $n 02:00:00:00:00:00:01:0$n; done
rdma dev set "$(vf_rdma "$vf")" name rail1
ip link set "$(vf_dev "$vf")" name ibrail1
before=$(snapshot)
c=$(with_guid "$vf" $guid '{"link_state": "enable"}')
for way in del namespace-dies-before-del repair; do
	ok plugin ADD "$c" one net1
	[[ $(address one) == *"$guid" && $(pod_rdma one) == rail1 ]]
	prints 'vf 1 .*link-state enable' ip link show "$IB_PF"
	case $way in
	del) ok plugin DEL "$c" one net1 ;;
	namespace-dies-before-del)
		pod_del one
		NETNS="" ok plugin DEL "$c" one net1
		pod_add one
		;;
	repair)
		pod_del one
		"$BUILD/cni-sriov-rdma/cni-sriov-rdma" repair
		pod_add one
		;;
	esac
	expect_same "$before" "$(snapshot)"
done

# in a namespace that nobody knows of, and the GUIDs are back already: the driver, bound anew, brings it home
ip netns add hidden
ok plugin ADD "$c" one net1
in_pod one rdma dev set rail1 netns hidden
for which in node_guid port_guid; do ip link set "$IB_PF" vf 1 $which 02:00:00:00:00:00:01:01; done
ok plugin DEL "$c" one net1
ip netns del hidden
expect_same "$before" "$(snapshot)"

# the example, by cnitool
export CAP_ARGS="{\"deviceID\": \"$vf\", \"infinibandGUID\": \"$guid\"}"
for verb in add check del; do ok cni $verb infiniband.conflist one net1; done
unset CAP_ARGS
expect_same "$before" "$(snapshot)"

# as ib-sriov-cni, with what ib-kubernetes puts into args.cni
mkdir "$said/names"
ln -s "$BUILD/cni-sriov-rdma/cni-sriov-rdma" "$said/names/ib-sriov"
CNI_PATH=$said/names:$CNI_PATH
jq -n --arg vf "$vf" --arg guid $guid --arg data "$said/host-local" '{cniVersion: "0.3.1", name: "ib", plugins: [{
	type: "ib-sriov", deviceID: $vf, link_state: "enable", rdmaIsolation: true, ibKubernetesEnabled: true, pkey: "0x5",
	args: {cni: {guid: $guid, "mellanox.infiniband.app": "configured"}},
	ipam: {type: "host-local", subnet: "10.56.217.0/24", dataDir: $data}}]}' >"$said/ib.conflist"
ok cni add "$said/ib.conflist" one net1
[[ $(address one) == *"$guid" && $(pod_rdma one) == rail1 && $(pod_ip one) == 10.56.217.2 ]]
ok cni del "$said/ib.conflist" one net1
expect_same "$before" "$(snapshot)"

# a failed ADD: IPAM's, and a driver that does not take the VF; if it does not on the way back, either, DEL binds it
fails plugin ADD "$(with_guid "$vf" $guid '{"ipam": {"rangeStart": "10.0.100.1", "rangeEnd": "10.0.100.1",
	"exclude": ["10.0.100.1/32"]}}')" one net1
expect_same "$before" "$(snapshot)"
echo 1 >/sys/module/fakehca/parameters/fail_probes
fails plugin ADD "$c" one net1
expect_error 100 "VF $vf: bind its driver fakehca again: Input/output error"
expect_same "$before" "$(snapshot)"
echo 2 >/sys/module/fakehca/parameters/fail_probes
fails plugin ADD "$c" one net1
[[ ! -e /sys/bus/pci/devices/$vf/driver ]]
ok plugin DEL "$c" one net1
expect_same "$before" "$(snapshot)"

# lower names are free, which the driver's devices get when it is bound: they have their names all the same
other=${IB_VFS[0]}
rdma dev set rail1 name "fakehca_2"
ip link set ibrail1 name ib2
before=$(snapshot)
echo "$other" >/sys/bus/pci/drivers/fakehca/unbind
ok plugin ADD "$c" one net1
[[ $(pod_rdma one) == fakehca_2 ]]
grep -q 'warning: the move of RDMA device fakehca_2 made its uverbs. uverbs.' "$said/stderr"
ok plugin DEL "$c" one net1
[[ $(vf_rdma "$vf") == fakehca_2 && $(vf_dev "$vf") == ib2 ]]
# two at once
echo "$other" >/sys/bus/pci/drivers/fakehca/bind
expect_same "$(grep -v uverbs <<<"$before")" "$(snapshot | grep -v uverbs)"
both() { # VERB
	local status=0
	plugin "$1" "$c" one net1 &
	(said=$(mktemp -d "$said/two.XXXX") && plugin "$1" "$(with_guid "$other" 02:aa:bb:cc:00:00:00:02)" two net1) || status=$?
	wait $! || status=$?
	return $status
}
ok both ADD
[[ $(address one) == *"$guid" && $(address two) == *02 && $(pod_rdma one) == fakehca_2 && $(pod_rdma two) == "$rdma" ]]
ok both DEL
expect_same "$(grep -v uverbs <<<"$before")" "$(snapshot | grep -v uverbs)"

# user space's: the GUID is set, and its driver is not unbound
modprobe uio_pci_generic
vf=${IB_VFS[2]}
echo uio_pci_generic >"/sys/bus/pci/devices/$vf/driver_override"
echo "$vf" >/sys/bus/pci/drivers/fakehca/unbind
echo "$vf" >/sys/bus/pci/drivers_probe
[[ $(driver) == uio_pci_generic ]]
c=$(with_guid "$vf" $guid)
ok plugin ADD "$c" one net1
[[ $(driver) == uio_pci_generic && $(ib_guid 2) == "$guid $guid" ]]
expect_result '.interfaces[0] | .mtu == 2044 and has("mac") == false'
ok plugin DEL "$c" one net1
[[ $(driver) == uio_pci_generic && $(ib_guid 2) == "$ones" ]]

ib_teardown
pod_del one two
expect_same "$igb" "$(snapshot)"
