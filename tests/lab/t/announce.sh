# SPDX-License-Identifier: Apache-2.0
# Proves that ADD tells the neighbours its addresses: another VF's owner on the wire sees the announcement of each, of a
# second one of the same subnet and of an IPv6 one, too; and that nothing of it stays in the pod's neighbour table.
pod_add one listener
one=$(vf_bdf 0 0) two=$(vf_bdf 0 1)
dev=$(vf_dev "$two")
ip link set "$dev" netns listener name ear
ip -n listener link set ear up
ip netns exec listener tcpdump -lnei ear -Q in 'arp or icmp6' >"$said/heard" 2>"$said/tcpdump" &
tcpdump=$!
wait_for 10 grep -q 'listening on' "$said/tcpdump"

cat >"$said/two-of-a-subnet" <<-'END'
	#!/bin/sh
	cat >/dev/null
	[ "$CNI_COMMAND" = ADD ] || exit 0
	echo '{"cniVersion": "1.0.0", "ips": [{"address": "10.0.100.7/24"}, {"address": "10.0.100.8/24"},
		{"address": "10.0.200.9/24"}, {"address": "fd00::7/64"}]}'
END
chmod +x "$said/two-of-a-subnet"
conf=$(conf "$one" '{"cniVersion": "1.0.0", "vlan": null, "vlanQoS": null, "ipam": {"type": "two-of-a-subnet"}}')
CNI_PATH+=:$said
ok plugin ADD "$conf" one net1
for address in 10.0.100.7 10.0.100.8 10.0.200.9; do
	wait_for 5 grep -q "> ff:ff:ff:ff:ff:ff.*Request who-has $address tell $address" "$said/heard"
done
wait_for 5 grep -q 'neighbor advertisement, tgt is fd00::7' "$said/heard"
[[ -z $(ip -n one -4 neigh show dev net1) ]]
ok plugin DEL "$conf" one net1
stop $tcpdump # with its promiscuous mode
ip -n listener link set ear down
ip -n listener link set ear netns 1 name "$dev"
pod_del one listener
