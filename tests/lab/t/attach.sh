# SPDX-License-Identifier: Apache-2.0
# Proves the main job: two pods of one node, attached by cnitool, talk over their VFs by IP and by RDMA, each sees its own
# device and no other, a pod on another VLAN hears nothing, and after DEL the node is as it was.
before=$(snapshot)
pod_add one two three
one=$(vf_bdf 0 0) two=$(vf_bdf 0 1) three=$(vf_bdf 0 2)
jq '.plugins[0].vlan = 200' "$CONF/two-pods.conflist" >"$said/other-vlan.conflist"

ok cni add two-pods.conflist one net1 "$one"
expect_result '.cniVersion == "1.1.0" and (.interfaces | length == 1) and .interfaces[0].name == "net1" and
	.interfaces[0].mtu == 4500 and .interfaces[0].sandbox == "/run/netns/one" and .ips[0].interface == 0'
ok cni add two-pods.conflist two net1 "$two"
ok cni add "$said/other-vlan.conflist" three net1 "$three"
address() { in_pod "$1" ip -4 -j addr show net1 | jq -r '.[0].addr_info[0].local'; }

[[ $(in_pod one rdma -j dev | jq -r '.[].ifname') == mlx5_0 ]]
[[ $(in_pod two rdma -j dev | jq -r '.[].ifname') == mlx5_1 ]]
fails prints "mlx5_[012]:" rdma dev
[[ $(ip -n one -j link show net1 | jq '.[0].mtu') == 4500 ]]
ip -d -j link show "$(pf_dev 0)" | jq -e '.[0].vfinfo_list[0] | .vlan_list[0] == {vlan: 100, qos: 3} or (.vlan == 100 and .qos == 3)'

ping_ok one "$(address two)"
rping_ok one two "$(address two)"
send_bw_ok one mlx5_0 two mlx5_1 "$(address two)"
ping_not three "$(address one)"

for pod in one two; do ok cni check two-pods.conflist $pod net1 "$([[ $pod == one ]] && echo "$one" || echo "$two")"; done

ok cni del two-pods.conflist one net1 "$one"
ok cni del two-pods.conflist two net1 "$two"
ok cni del "$said/other-vlan.conflist" three net1 "$three"
pod_del one two three
expect_same "$before" "$(snapshot)"
