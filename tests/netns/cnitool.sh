# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2100
# cni-ipam called by cnitool through other plugins: every verb in every version, configurations and lists, CAP_ARGS, CNI_ARGS.
# The node is a namespace of its own, so that neither bridge nor iptables' rules are this machine's.
# shellcheck source=tests/netns/ipam.inc
. "$(dirname "$0")/ipam.inc"

node=node-$$ pod=pod-$$
undo() {
	ip netns del "$node" 2>/dev/null || true
	ip netns del "$pod" 2>/dev/null || true
	rm -rf "$dir" /var/lib/cni/results/"cnitool-$$"*
}
ip netns add "$node"
ip netns add "$pod"
ip -n "$node" link set lo up
export CNI_PATH=${plugin%/*}:/usr/lib/cni:/opt/cni/bin NETCONFPATH=$dir/net.d CNI_IFNAME=net1
mkdir "$NETCONFPATH"

tool() { ip netns exec "$node" "$CNITOOL" "$1" "cnitool-$$" "/var/run/netns/$pod" 2>>"$dir/log"; } # VERB
# conf NAME JSON…: the only file in $NETCONFPATH; more than one plugin, or .conflist, is a list
conf() {
	rm -f "$NETCONFPATH"/*
	jq -n --arg version "$version" --arg name "cnitool-$$" '{cniVersion: $version, name: $name} +
		if $list then {plugins: $ARGS.positional | map(fromjson)} else $ARGS.positional[0] | fromjson end' \
		--argjson list "$([[ $1 == *list ]] && echo true || echo false)" --args "${@:2}" >"$NETCONFPATH/$1"
}
held() { "$plugin" leases --json --data-dir "$data" | jq length; }
address_of() { # a result's first, of whatever version
	jq -er '.ips[0].address // .ip4.ip' <<<"$1"
}

bridge() { # IPAM-MEMBERS: bridge with our IPAM
	jq -n --argjson ipam "$(ipam "$1" | jq .ipam)" '{type: "bridge", bridge: "br0", isGateway: true, ipam: $ipam,
		capabilities: {ips: true}}'
}
range='"subnet":"10.66.0.0/24","cooldown":0'

for version in 0.1.0 0.2.0 0.3.0 0.3.1 0.4.0 1.0.0; do
	for file in net.conf net.conflist; do
		[[ $file == net.conf || $version != 0.[12].0 ]] || continue # lists came with 0.3.0
		echo "$version, $file"
		conf $file "$(bridge "$range")"
		result=$(tool add)
		is "$version" "$(jq -r .cniVersion <<<"$result")"
		shows " $(address_of "$result") " ip -n "$pod" -br addr show net1
		is 1 "$(held)"
		if [[ $version == 0.[123].* ]]; then fails tool check; else tool check; fi
		tool del
		tool del
		is 0 "$(held)"
		fails ip -n "$pod" link show net1
	done
done

echo "in front of tuning, sbr and portmap, with capabilities"
version=1.0.0
conf net.conflist "$(bridge "$range,\"gateway\":\"10.66.0.1\"")" '{"type": "tuning", "capabilities": {"mac": true}, "sysctl": {"net.ipv4.conf.net1.arp_filter": "1"}}' \
	'{"type": "sbr"}' '{"type": "portmap", "capabilities": {"portMappings": true}}'
export CAP_ARGS='{"ips": ["10.66.0.77/24"], "mac": "02:00:00:00:0b:01", "portMappings": [{"hostPort": 8080, "containerPort": 80, "protocol": "tcp"}]}'
result=$(tool add)
is 10.66.0.77/24 "$(address_of "$result")"
is 02:00:00:00:0b:01 "$(ip -n "$pod" -j link show net1 | jq -r '.[0].address')"
shows 'from 10.66.0.77' ip -n "$pod" rule show
shows '10.66.0.77:80' ip netns exec "$node" iptables -t nat -S
tool del # no check: bridge misses the route that sbr has put into another table, portmap looks for IPv6
is 0 "$(held)"
jq '.plugins |= .[:2]' "$NETCONFPATH/net.conflist" >"$dir/list"
mv "$dir/list" "$NETCONFPATH/net.conflist"
tool add >/dev/null
tool check
tool del
is 0 "$(held)"
unset CAP_ARGS

echo "CNI_ARGS"
export CNI_ARGS="IgnoreUnknown=1;IP=10.66.0.88;K8S_POD_NAMESPACE=default;K8S_POD_NAME=pod"
conf net.conflist "$(bridge "$range")"
is 10.66.0.88/24 "$(address_of "$(tool add)")"
is default/pod "$("$plugin" leases --json --data-dir "$data" | jq -r '.[0].pod')"
tool del
unset CNI_ARGS

echo "1.1.0, and the highest of cniVersions: STATUS and GC"
alone=$(jq -n --argjson ipam "$(ipam "$range" | jq .ipam)" '{type: "cni-ipam", ipam: $ipam}')
for version in 1.1.0 0.4.0; do
	conf net.conflist "$alone"
	jq '.cniVersions = ["0.4.0", "1.1.0"]' "$NETCONFPATH/net.conflist" >"$dir/list"
	mv "$dir/list" "$NETCONFPATH/net.conflist"
	result=$(tool add)
	is 1.1.0 "$(jq -r .cniVersion <<<"$result")"
	tool check
	tool status
	tool gc # libcni itself: DEL for what its cache has, none of which cnitool says is valid
	is 0 "$(held)"
	tool add >/dev/null
	rm -f /var/lib/cni/results/"cnitool-$$"*
	tool gc # and without a cache there is no list: nothing is released
	is 1 "$(held)"
	tool del
	is 0 "$(held)"
done
version=1.1.0
conf net.conflist "$(jq '.ipam.ranges = [[{subnet: "10.67.0.0/30", rangeStart: "10.67.0.2", rangeEnd: "10.67.0.2"}]] | del(.ipam.subnet)' <<<"$alone")"
tool status
tool add >/dev/null
fails tool status
shows "10.67.0.0/30 is exhausted" cat "$dir/log"
tool del
