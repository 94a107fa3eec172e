# SPDX-License-Identifier: Apache-2.0
# Proves attaches on a PF with 126 VFs, for which the kernel's answer is longer than 16 KiB: each VF gets all that a PF
# grants, its neighbours nothing, and DEL gives all back.
# lab: --many-vfs
. "$REPO/tests/lab/guest/manyvf.sh"
before=$(snapshot)
many_take 126
pods=(one two three) numbers=(0 63 125)
pod_add "${pods[@]}"
idle=$(snapshot)
granted() { ip -d -j link show "$MANY_PF" | jq -c ".[0].vfinfo_list[]" | sed -n "$1"; } # SED-SCRIPT
others="1d;64d;126d;p"
unused=$(granted "$others")
settings='{"vlan": 7, "vlanQoS": 5, "vlanProto": "802.1ad", "spoofchk": "off", "trust": "on", "link_state": "enable", "min_tx_rate": 10,
	"max_tx_rate": 200, "mtu": 9000}'
for i in 0 1 2; do
	conf[i]=$(conf "$(many_vf "${numbers[i]}")" "$(jq -c ".mac = \"02:00:00:00:7e:0$i\"" <<<"$settings")")
	ok plugin ADD "${conf[i]}" "${pods[i]}" net1
	ok plugin CHECK "${conf[i]}" "${pods[i]}" net1
done
for i in 0 1 2; do
	granted "$((numbers[i] + 1))p" | jq -e --arg mac "02:00:00:00:7e:0$i" --argjson vf "${numbers[i]}" '.vf == $vf and .address == $mac and
		.vlan_list == [{vlan: 7, qos: 5, protocol: "802.1ad"}] and .spoofchk == false and .trust == true and .link_state == "enable" and
		.rate == {max_tx: 200, min_tx: 10}' || fail "VF ${numbers[i]}: $(granted "$((numbers[i] + 1))p")"
done
[[ $(granted "$others") == "$unused" ]] || fail "another VF has changed"
for i in 0 1 2; do ok plugin DEL "${conf[i]}" "${pods[i]}" net1; done
expect_same "$idle" "$(snapshot)"
pod_del "${pods[@]}"
many_give_back
expect_same "$before" "$(snapshot)"
