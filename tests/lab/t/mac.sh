# SPDX-License-Identifier: Apache-2.0
# Proves that `mac` works where igb lays a trap (see converge_link.c): on a VF that has never been up, on one that has, and on
# one whose MAC the PF has set, without seconds of retries and with traffic; and that what was there comes back.
before=$(snapshot)
fresh=$(vf_bdf 0 0) used=$(vf_bdf 0 1) set=$(vf_bdf 0 2)
ip link set "$(vf_dev "$used")" up
ip link set "$(vf_dev "$used")" down
ip link set "$(pf_dev 0)" vf 2 mac 02:00:00:00:05:02
prepared=$(snapshot)

pod_add a b c
# That it is not tried again and again shows in the requests that change something, beside those of an attach without mac.
changes() { # CONF POD: attaches, and prints how many requests to change a link it took
	env CNI_COMMAND=ADD CNI_CONTAINERID="$(pod_cid "$2")" CNI_NETNS="/run/netns/$2" CNI_IFNAME=net1 CNI_PATH="$CNI_PATH" \
		"$BUILD/tests/sweep/inject" --match NEWLINK --points "$said/points" \
		"$BUILD/cni-sriov-rdma/cni-sriov-rdma" <"$1" >"$said/stdout" 2>"$said/stderr" || fail "$(<"$said/stdout")"
	wc -l <"$said/points"
}
attach() { # POD BDF MAC
	local c sent
	c=$(conf "$2" "{\"mac\": \"$3\"}")
	sent=$(changes "$c" "$1")
	expect_result ".interfaces[0].mac == \"$3\""
	((sent > 0 && sent <= plain + 4)) || fail "$sent changes, and $plain without mac: $(<"$said/points")"
	[[ $(ip -n "$1" -j link show net1 | jq -r '.[0].address') == "$3" ]]
}
plain=$(changes "$(conf "$(vf_bdf 0 3)")" a)
ok plugin DEL "$(conf "$(vf_bdf 0 3)")" a net1
address() { in_pod "$1" ip -4 -j addr show net1 | jq -r '.[0].addr_info[0].local'; }
attach a "$fresh" 02:00:00:00:0a:01
attach b "$used" 02:00:00:00:0a:02
attach c "$set" 02:00:00:00:0a:03
ping_ok a "$(address b)"
ping_ok b "$(address c)"
ping_ok c "$(address a)"

# runtimeConfig.mac, args.cni.mac, CNI_ARGS MAC, mac: in that order
ok plugin DEL "$(conf "$fresh")" a net1
all='{"runtimeConfig": {"mac": "02:00:00:00:0b:01"}, "args": {"cni": {"mac": "02:00:00:00:0b:02"}}, "mac": "02:00:00:00:0b:04"}'
export CNI_ARGS="IgnoreUnknown=1;MAC=02:00:00:00:0b:03"
for expected in 1 2 3 4; do
	ok plugin ADD "$(conf "$fresh" "$all")" a net1
	expect_result ".interfaces[0].mac == \"02:00:00:00:0b:0$expected\""
	ok plugin DEL "$(conf "$fresh")" a net1
	case $expected in
	1) all=$(jq 'del(.runtimeConfig)' <<<"$all") ;;
	2) all=$(jq 'del(.args)' <<<"$all") ;;
	3) unset CNI_ARGS ;;
	esac
done

ok plugin DEL "$(conf "$used")" b net1
ok plugin DEL "$(conf "$set")" c net1
pod_del a b c
expect_same "$prepared" "$(snapshot)"
# the administrator takes the PF's MAC away; the driver asks the PF only for an address that is new
ip link set "$(pf_dev 0)" vf 2 mac 00:00:00:00:00:00
ip link set "$(vf_dev "$set")" address 02:00:00:00:05:02
ip link set "$(vf_dev "$set")" address "$(grep -oP "^$set mac \K.*" <<<"$before")"
expect_same "$before" "$(snapshot)"
