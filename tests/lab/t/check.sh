# SPDX-License-Identifier: Apache-2.0
# Proves that CHECK sees each thing that an attachment promised and that is not so any more, and names it; and that it
# tolerates what a later plugin or Multus changes.
before=$(snapshot)
vf=$(vf_bdf 0 0)
pod_add one
with='{"ipam": {"routes": [{"dst": "10.9.0.0/16", "gw": "10.0.100.254"}, {"dst": "fd09::/32"}], "gateway": "10.0.100.254",
	"ranges": [[{"subnet": "10.0.100.0/24"}], [{"subnet": "fd00:100::/64", "gateway": "fd00:100::1"}]], "subnet": null}}'
ok plugin ADD "$(conf "$vf" "$with")" one net1
result=$(<"$said/stdout")
read -r ip4 ip6 <<<"$(jq -r '[.ips[].address] | join(" ")' <<<"$result")" # which ones, others before us decide
c=$(conf "$vf" "$(jq --argjson prev "$result" '. + {prevResult: $prev}' <<<"$with")")
ok plugin CHECK "$c" one net1
[[ ! -s $said/stdout ]]

broken() { # PATTERN
	fails plugin CHECK "$c" one net1
	expect_error 101 "$1"
}
mended() { ok plugin CHECK "$c" one net1; }

ip -n one link set net1 mtu 1400 && broken 'mtu is 1400, not 4500' && ip -n one link set net1 mtu 4500 && mended
ip -n one addr del "$ip4" dev net1 && broken "address $ip4 is missing"
ip -n one addr add "$ip4" dev net1
broken 'route 10.9.0.0/16 is missing' # it went with the address
ip -n one route add 10.9.0.0/16 via 10.0.100.254 dev net1 && mended
ip -n one route del fd09::/32 dev net1 && broken 'route fd09::/32 is missing'
ip -n one route add fd09::/32 via fd00:100::1 dev net1 && mended
ip link set "$(pf_dev 0)" vf 0 vlan 200 qos 3 && broken 'vlan is 200 qos 3, not 100 qos 3'
ip link set "$(pf_dev 0)" vf 0 vlan 100 qos 3 && mended
ip -n one link set net1 down
broken 'flags is .*, not up'
ip -n one link set net1 up
ip -n one -6 addr add "$ip6" dev net1 nodad 2>/dev/null || true # IPv6 addresses and routes go with down
ip -n one route replace 10.9.0.0/16 via 10.0.100.254 dev net1
ip -n one route replace fd09::/32 via fd00:100::1 dev net1
mended

# a later plugin (tuning) changed the MAC, and says so in the result; Multus took a route away
ip -n one link set net1 promisc on
c=$(conf "$vf" "$(jq --argjson prev "$result" '. + {prevResult: ($prev | .routes |= map(select(.dst != "10.9.0.0/16")))}' <<<"$with")")
ip -n one route del 10.9.0.0/16
mended
ip -n one link set net1 promisc off

in_pod one rdma dev set mlx5_0 name mine # the verbs device is not what the pod was told
broken 'rdma name is mine, not mlx5_0'
in_pod one rdma dev set mine name mlx5_0
mended
pod_add two
NETNS=/run/netns/two fails plugin CHECK "$c" one net1
expect_error 101 'not the namespace that VF'
CID=nobody fails plugin CHECK "$c" one net1
expect_error 101 'no attachment of container nobody'

ok plugin DEL "$c" one net1
pod_del one two
expect_same "$before" "$(snapshot)"
