# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2100
# Each verb of cni-ipam, and what its specification promises, with the binary that is shipped.
# shellcheck source=tests/netns/ipam.inc
. "$(dirname "$0")/ipam.inc"

range='"subnet":"10.0.0.0/29","gateway":"10.0.0.1","cooldown":0'

echo "the same owner gets the same address, another owner another; DEL is idempotent and takes only its own"
is 10.0.0.2/29 "$(give a "$range")"
is 10.0.0.2/29 "$(give a "$range")"
is 10.0.0.3/29 "$(give b "$range")"
is 10.0.0.4/29 "$(give a "$range" net2)"
take a "$range"
take a "$range"
take unknown "$range"
is 10.0.0.3/29 "$(give b "$range")"
is 10.0.0.4/29 "$(give a "$range" net2)"
is 10.0.0.5/29 "$(give c "$range")" # round robin: not the one that was just freed

echo "exhausted: an error with pool, size, held and cooling"
is 10.0.0.6/29 "$(give d "$range")"
is 10.0.0.2/29 "$(give e "$range")"
refused 102 "10.0.0.0/29 is exhausted: size 5, held 5, cooling 0" raw ADD f "$range"
refused 50 "exhausted" raw STATUS "" "$range"

echo "DEL needs neither range nor pool"
take e '"pool":"gone"'
take d '"subnet":"nonsense"'
is 10.0.0.6/29 "$(give f "$range")"
raw STATUS "" "$range"

echo "another network may have the same addresses, as with host-local"
net=net-b
is 10.0.0.2/29 "$(give a "$range")"
net=net-a

echo "GC keeps what is valid, in this network alone; without a list it releases nothing"
ipam "$range" | call GC "" ""
ipam "$range" | jq '."cni.dev/valid-attachments" = [{"containerID":"b","ifname":"net1"}]' | call GC "" ""
is "b net-a,a net-b" "$("$plugin" leases --json --data-dir "$data" | jq -r '[.[] | .container + " " + .network] | sort_by(split(" ")[1]) | join(",")')"

echo "CHECK: each address of prevResult is held by this owner"
prev() { ipam "$range" | jq --arg ip "$1" '.prevResult = {"cniVersion":"1.1.0","ips":[{"address":$ip}]}'; }
prev 10.0.0.3/29 | call CHECK b
check_of() { prev "$2" | call CHECK "$1"; }
refused 101 10.0.0.4 check_of b 10.0.0.4/29
refused 101 10.0.0.3 check_of c 10.0.0.3/29

echo "cooling: the address rests, then code 11 with the time, or the oldest one by policy"
cool='"subnet":"10.1.0.0/30","cooldown":40'
is 10.1.0.1/30 "$(give a "$cool")"
is 10.1.0.2/30 "$(give b "$cool")"
take a "$cool"
sleep 0.1
take b "$cool"
refused 11 "size 2, held 0, cooling 2; the first is free in 40 s" raw ADD c "$cool"
refused 50 "only cooling" raw STATUS "" "$cool"
is 10.1.0.1/30 "$(give c "$cool,\"whenCooling\":\"oldest\"")"
is 10.1.0.2/30 "$(ipam "$cool" | jq '.runtimeConfig.ips = ["10.1.0.2"]' | call ADD d | jq -r '.ips[0].address')"

echo "requested addresses: runtimeConfig.ips, args.cni.ips, CNI_ARGS IP; one replaces that of its family alone"
dual='"ranges":[[{"subnet":"10.2.0.0/24","rangeEnd":"10.2.0.9","gateway":"10.2.0.1"}],[{"subnet":"fd02::/64"}]]'
args="IgnoreUnknown=1;IP=10.2.0.77;IP="
is "10.2.0.77/24 fd02::1/64" "$(give a "$dual")"
is "10.2.0.66/24 fd02::2/64" "$(ipam "$dual" | jq '.args.cni.ips = ["10.2.0.66"]' | call ADD b | jq -r '[.ips[].address] | join(" ")')"
is "10.2.0.55/24 fd02::99/64" "$(ipam "$dual" | jq '.args.cni.ips = ["10.2.0.66"] | .runtimeConfig.ips = ["10.2.0.55/24", "fd02::99"]' |
	call ADD c | jq -r '[.ips[].address] | join(" ")')"
refused 102 "10.2.0.77 is held by net1 of container a" raw ADD d "$dual"
args=
is "10.2.0.2/24 fd02::3/64" "$(give d "$dual")" # the requested ones moved no cursor
request() { ipam "$dual" | jq --arg ip "$1" '.runtimeConfig.ips = [$ip]' | call ADD x; }
refused 7 "10.2.0.1 is the gateway" request 10.2.0.1
refused 7 "10.2.0.255 is the network's or broadcast address" request 10.2.0.255
refused 7 "10.9.0.1 lies in no subnet" request 10.9.0.1
is 0 "$("$plugin" leases --json --data-dir "$data" | jq '[.[] | select(.container == "x")] | length')"

echo "all addresses or none: the second set is exhausted, so the first gives nothing"
pair='"ranges":[[{"subnet":"10.3.0.0/24"}],[{"subnet":"fd03::/127","gateway":"fd03::"}]]'
is "10.3.0.1/24 fd03::1/127" "$(give a "$pair" net3)"
refused 102 fd03::/127 raw ADD b "$pair"
is 1 "$("$plugin" leases --json --data-dir "$data" | jq '[.[] | select(.address | startswith("10.3."))] | length')"
version=0.2.0
refused 1 0.2.0 raw ADD b '"ranges":[[{"subnet":"10.3.0.0/24"}],[{"subnet":"10.4.0.0/24"}]]'
is 1 "$("$plugin" leases --json --data-dir "$data" | jq '[.[] | select(.address | startswith("10.3."))] | length')"

echo "each version of the specification has its own shape"
is 10.3.0.2/24 "$(ipam '"subnet":"10.3.0.0/24"' | call ADD v | jq -r .ip4.ip)"
version=0.3.1
is 4 "$(ipam '"subnet":"10.3.0.0/24"' | call ADD v | jq -r '.ips[0].version')"
version=1.0.0
is '{"cniVersion":"1.0.0","ips":[{"address":"10.3.0.2/24"}]}' "$(ipam '"subnet":"10.3.0.0/24"' | call ADD v | jq -c .)"
unset version
is 1.1.0 "$(echo '{"cniVersion":"1.0.0"}' | call VERSION "" | jq -r '.supportedVersions[-1]')"

echo "routes and DNS come along, those of host-local whole"
route='{"dst":"0.0.0.0/0","gw":"10.5.0.1","mtu":1400,"advmss":1360,"priority":5,"table":0,"scope":0}'
printf 'nameserver 10.5.0.2\nsearch a.example b.example\n' >"$dir/resolv.conf"
is "$route" "$(ipam "\"subnet\":\"10.5.0.0/24\",\"routes\":[$route],\"resolvConf\":\"$dir/resolv.conf\"" | call ADD r |
	tee "$dir/result" | jq -c '.routes[0]')"
is '["a.example","b.example"]' "$(jq -c .dns.search "$dir/result")"

echo "after a boot every lease of the earlier one is free, and its files go"
before=$(echo "$data"/leases-*.db)
earlier=$data/leases-00000000-0000-0000-0000-000000000000.db
mv "$before" "$earlier"
mv "$before-journal" "$earlier-journal"
basename "$earlier" .db | cut -c 8- | tr '\n' '\0' >"$data/lock" # which boot's database has been made
is 10.0.0.2/29 "$(give z "$range")"
is "$before" "$(echo "$data"/leases-*.db)"
is z "$("$plugin" leases --json --data-dir "$data" | jq -r '.[].container')"
