# SPDX-License-Identifier: Apache-2.0
# Proves that `mac` works where igb lays a trap (see converge.c): on a VF that has never been up, on one that has, and on
# one whose MAC the PF has set, without seconds of retries and with traffic; and that what was there comes back.
before=$(snapshot)
fresh=$(vf_bdf 0 0) used=$(vf_bdf 0 1) set=$(vf_bdf 0 2)
ip link set "$(vf_dev "$used")" up
ip link set "$(vf_dev "$used")" down
ip link set "$(pf_dev 0)" vf 2 mac 02:00:00:00:05:02
prepared=$(snapshot)

pod_add a b c
now() { echo "${EPOCHREALTIME/./}"; }
attach() { # POD BDF MAC
	local start c
	c=$(conf "$2" "{\"mac\": \"$3\"}")
	start=$(now)
	ok plugin ADD "$c" "$1" net1
	(($(now) - start < plain * 3)) || fail "took $((($(now) - start) / 1000)) ms, and $((plain / 1000)) ms without mac"
	expect_result ".interfaces[0].mac == \"$3\""
	[[ $(ip -n "$1" -j link show net1 | jq -r '.[0].address') == "$3" ]]
}
c=$(conf "$(vf_bdf 0 3)")
for plain in first second; do # what an attach takes here without mac, now that all has been read from disk
	start=$(now)
	ok plugin ADD "$c" a net1
	plain=$(($(now) - start))
	ok plugin DEL "$c" a net1
done
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
