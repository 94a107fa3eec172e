# SPDX-License-Identifier: Apache-2.0
# Proves what cnitool calls: every verb in every version, configurations and lists, before and after other plugins,
# CAP_ARGS and CNI_ARGS. (GC and STATUS: gc.sh; the rules that cnitool never exercises: conformance.sh.)
before=$(snapshot)
vf=$(vf_bdf 0 0)
pod_add one
idle=$(snapshot)
gateway='{"ipam": {"gateway": "10.0.100.1", "routes": [{"dst": "10.9.0.0/16"}]}, "capabilities": {"deviceID": true, "mac": true, "ips": true}}'
own=$(jq 'del(.deviceID, .cniVersion, .name, .mtu)' "$(conf "$vf" "$gateway")")

# net FILE VERSION PLUGIN-JSON…: a configuration, or a list, prints its path
net() {
	local dir
	dir=$(mktemp -d "$said/net.XXXX")
	jq -n --arg version "$2" '{cniVersion: $version, name: "fabric"} + if $list then {plugins: $ARGS.positional | map(fromjson)}
		else $ARGS.positional[0] | fromjson end' --argjson list "$([[ $1 == *list ]] && echo true || echo false)" \
		--args "${@:3}" >"$dir/$1"
	echo "$dir/$1"
}
capabilities() { export CAP_ARGS="{\"deviceID\": \"$vf\"${1:+, $1}}"; }

capabilities
for version in 0.1.0 0.2.0 0.3.0 0.3.1 0.4.0 1.0.0 1.1.0; do
	file=net.conflist
	[[ $version != 0.[12].0 ]] || file=net.conf # lists came with 0.3.0
	c=$(net $file $version "$own")
	ok cni add "$c" one net1
	expect_result ".cniVersion == \"$version\" and (.ips[0].address // .ip4.ip) == \"$(pod_ip one)/24\""
	[[ $(pod_rdma one) == mlx5_0 ]]
	if [[ $version == 0.[123].* ]]; then fails cni check "$c" one net1 2>/dev/null; else ok cni check "$c" one net1; fi
	ok cni del "$c" one net1
done
expect_same "$idle" "$(snapshot)"

# before others: CHECK accepts what they change
tuning='{"type": "tuning", "sysctl": {"net.ipv4.conf.net1.arp_filter": "1"}, "mtu": 3000}'
c=$(net net.conflist 1.0.0 "$own" "$tuning" '{"type": "sbr"}' '{"type": "portmap", "capabilities": {"portMappings": true}}')
capabilities '"mac": "02:00:00:00:0c:01", "ips": ["10.0.100.77/24"]'
CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=pod-one" ok cni add "$c" one net1
expect_result '.ips[0].address == "10.0.100.77/24" and .interfaces[0].mac == "02:00:00:00:0c:01"'
prints 'from 10.0.100.77' in_pod one ip rule show
[[ $(in_pod one cat /proc/sys/net/ipv4/conf/net1/arp_filter /sys/class/net/net1/mtu | tr '\n' ' ') == "1 3000 " ]]
[[ $("$BUILD/cni-sriov-rdma/cni-sriov-rdma" list --json | jq -r '.[0].pod') == default/pod-one ]]
[[ -z $(in_pod one ip route show 10.9.0.0/16) && -n $(in_pod one ip route show table 100 10.9.0.0/16) ]] ||
	fail "sbr has not moved the route: $(in_pod one ip route show table all)"
ok cni check "$c" one net1
ok cni del "$c" one net1
expect_same "$idle" "$(snapshot)"

# after another: its addresses are passed on, and are not ours
capabilities
c=$(net net.conflist 1.0.0 '{"type": "static", "ipam": {"type": "static", "addresses": [{"address": "192.0.2.5/24"}]}}' "$own" "$tuning")
ok cni add "$c" one net1
expect_result '.ips | length == 2 and .[0].address == "192.0.2.5/24" and (.[1].address | startswith("10.0.100."))'
[[ $(pod_ip one) == 10.0.100.* ]]
ok cni check "$c" one net1
ok cni del "$c" one net1

# CNI_ARGS alone: MAC and IP, as Multus up to 3.4 has them
CNI_ARGS="IgnoreUnknown=true;MAC=02:00:00:00:0c:02;IP=10.0.100.66" ok cni add "$(net net.conf 0.4.0 "$own")" one net1
expect_result '.ips[0].address == "10.0.100.66/24" and .interfaces[0].mac == "02:00:00:00:0c:02"'
ok cni del "$(net net.conf 0.4.0 "$own")" one net1
pod_del one
expect_same "$before" "$(snapshot)"
