# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2100
# cni-ipam through the real libcni: called by cnitool itself, and, where Debian's plugins are, by bridge.
# shellcheck source=tests/netns/ipam.inc
. "$(dirname "$0")/ipam.inc"

[[ -x ${CNITOOL:-} ]] || fail "CNITOOL is not set: tests/run sets it"
ns=ipam-$$ path=/var/run/netns/ipam-$$
undo() {
	ip netns del "$ns" 2>/dev/null || true
	ip link del "br-$$" 2>/dev/null || true
	rm -rf "$dir" /var/lib/cni/results/"ipam-$$"*
}
ip netns add "$ns"
ip -n "$ns" link set lo up
export NETCONFPATH=$dir/net.d CNI_PATH=${plugin%/*}:/usr/lib/cni:/opt/cni/bin
mkdir "$NETCONFPATH"

tool() { "$CNITOOL" "$1" "ipam-$$" "$path" 2>>"$dir/log"; }
# network VERSION PLUGIN-JSON: the network list that cnitool reads
network() {
	jq -n --arg name "ipam-$$" --arg version "$1" --argjson plugin "$2" '{cniVersion: $version, name: $name, plugins: [$plugin]}' >"$NETCONFPATH/net.conflist"
}

echo '{"subnet":"10.77.0.0/24","gateway":"10.77.0.1","nodeLocal":true,"routes":[{"dst":"10.0.0.0/8","gw":"10.77.0.1"}]}' >"$pools/fabric.json"
ipam=$(ipam '"pool":"fabric"' | jq -c .ipam)
network 1.1.0 "$(jq -c -n --argjson ipam "$ipam" '{type: "cni-ipam", ipam: $ipam}')"
echo "cnitool add, check, status, gc, del"
is 10.77.0.2/24 "$(tool add | jq -r '.ips[0].address')"
tool check
tool status
is 10.77.0.2/24 "$(tool add | jq -r '.ips[0].address')"
tool del
tool del
if tool check; then fail "check after del succeeded"; fi
tool add >/dev/null
tool gc # libcni: DEL for each attachment in its cache that is not listed as valid, and then GC
is 0 "$("$plugin" leases --json --data-dir "$data" | jq length)"
tool del

if [[ -x /usr/lib/cni/bridge ]]; then
	echo "delegated to by bridge: the address is on the interface, with its route"
	network 1.0.0 "$(jq -c -n --argjson ipam "$ipam" --arg br "br-$$" '{type: "bridge", bridge: $br, ipam: $ipam}')"
	address=$(tool add | jq -er '.ips[0].address')
	shows " $address " ip -n "$ns" -br addr show eth0
	shows 10.77.0.1 ip -n "$ns" route show 10.0.0.0/8
	tool check
	tool del
	is 0 "$("$plugin" leases --json --data-dir "$data" | jq length)"
fi
