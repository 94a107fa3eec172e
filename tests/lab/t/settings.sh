# SPDX-License-Identifier: Apache-2.0
# Proves that every setting that the PF grants is made, and that they, and all that root in a pod can change on the
# interface, are restored on the way back, whichever way the VF comes home.
before=$(snapshot)
vf=$(vf_bdf 0 0)
all=$(conf "$vf" '{"mac": "02:00:00:00:0a:01", "spoofchk": "off", "trust": "on", "max_tx_rate": 200}')
pf_view() { ip -d -j link show "$(pf_dev 0)" | jq -r ".[0].vfinfo_list[0] | $1"; }

spoil() { # POD: what root in a pod can do
	ip -n "$1" link set net1 down
	ip -n "$1" link set net1 name mine address 02:00:00:00:66:66 mtu 1400 txqueuelen 77 alias "all mine"
	ip -n "$1" link set mine promisc on allmulticast on arp off multicast off group 7 up
	for n in $(seq 20); do ip -n "$1" link property add dev mine altname "other$n"; done
}

for way in del namespace-dies-before-del repair; do
	pod_add one
	ok plugin ADD "$all" one net1
	[[ $(pf_view '.vlan_list[0].vlan // .vlan') == 100 ]]
	[[ $(pf_view .spoofchk) == false ]]
	[[ $(pf_view .trust) == true ]]
	[[ $(pf_view '.rate.max_tx // .max_tx_rate') == 200 ]]
	[[ $(pf_view .address) == 02:00:00:00:0a:01 ]]
	[[ $(in_pod one cat /sys/class/net/net1/mtu) == 4500 ]]
	ok plugin CHECK "$all" one net1
	spoil one
	case $way in
	del)
		ok plugin DEL "$all" one net1
		pod_del one
		;;
	namespace-dies-before-del)
		pod_del one
		NETNS="" ok plugin DEL "$all" one net1
		;;
	repair)
		pod_del one
		"$BUILD/cni-sriov-rdma/cni-sriov-rdma" repair
		;;
	esac
	expect_same "$before" "$(snapshot)"
done

# unset is untouched: what an administrator has set stays, with the attachment and after it
ip link set "$(pf_dev 0)" vf 0 vlan 300 qos 5
ip link set "$(pf_dev 0)" vf 0 spoofchk off
set_by_admin=$(snapshot)
pod_add one
plain=$(conf "$vf" '{"vlan": null, "vlanQoS": null, "mtu": null}')
ok plugin ADD "$plain" one net1
[[ $(pf_view '.vlan_list[0].vlan // .vlan') == 300 ]]
[[ $(pf_view .spoofchk) == false ]]
ok plugin DEL "$plain" one net1
pod_del one
expect_same "$set_by_admin" "$(snapshot)"
ip link set "$(pf_dev 0)" vf 0 vlan 0
ip link set "$(pf_dev 0)" vf 0 spoofchk on

# what igb refuses is told, with PF, VF, field and value
pod_add one
refused() { # PATTERN JSON
	fails plugin ADD "$(conf "$vf" "$2")" one net1
	expect_error 100 "$1"
}
refused 'PF eth0: set link_state of VF 0 to enable' '{"link_state": "enable"}'
refused 'PF eth0: set tx_rate of VF 0 to 100 to 0' '{"min_tx_rate": 100}'
pod_del one
expect_same "$before" "$(snapshot)"
