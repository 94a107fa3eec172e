# SPDX-License-Identifier: Apache-2.0
# Proves that ADD waits until the pod can use its RDMA device, and says what is missing if it cannot: the port's state, the
# GIDs of its addresses, the number of the verbs device that the device plugin gave to the pod; and that the device-info
# file names the device as it is in the pod. And that it tells of a process of the node that has the device open.
before=$(snapshot)
vf=$(vf_bdf 0 1)
record=/var/lib/cni/cni-sriov-rdma/attachments/$vf.json
pod_add one
dual='{"ipam": {"subnet": null, "ranges": [[{"subnet": "10.0.100.0/24"}], [{"subnet": "fd00:100::/64"}]]}}'
ok plugin ADD "$(conf "$vf" "$dual")" one net1
jq -e '.rdma | length == 1 and (.[0] | .device == "mlx5_1" and .state == "ACTIVE" and .uverbs == 1 and .activeMtu == 4096 and
	(.gids | length == 2 and all(.[]; .index >= 0 and .type == "RoCE v2")))' "$record"
[[ -z $(ip -n one -6 addr show net1 scope global tentative) ]] # IPv6 did not wait for duplicate address detection
for family in 4 6; do # the index is that of the address
	address=$(ip -n one -$family -j addr show net1 scope global | jq -r '.[0].addr_info[0].local')
	index=$(jq -r --arg a "$address" '.rdma[0].gids[] | select(.address == $a).index' "$record")
	[[ $(in_pod one cat "/sys/class/infiniband/mlx5_1/ports/1/gid_attrs/types/$index") == "RoCE v2" ]]
done
ok plugin DEL "$(conf "$vf")" one net1

ok plugin ADD "$(conf "$vf" '{"mtu": 4100}')" one net1
grep -q 'warning: mtu: 4100 gives RDMA an MTU of 2048; 4192 and more' "$said/stderr"
ok plugin DEL "$(conf "$vf")" one net1

# a port that stays down, and a GID that never comes
vfib=$(vf_bdf 1 0)
required=$(conf "$vfib" '{"rdma": {"required": true, "readyTimeoutMs": 300}}')
tolerant=$(conf "$vfib" '{"rdma": {"readyTimeoutMs": 300}}')
not_ready() { # PATTERN
	fails plugin ADD "$required" one net1
	expect_error 100 "$1"
	expect_same "$before" "$(snapshot | grep -v '^namespace one$')"
	ok plugin ADD "$tolerant" one net1
	grep -q "warning: $1" "$said/stderr"
	ok plugin DEL "$tolerant" one net1
}
echo 1 >/sys/module/vfib/parameters/port_down
not_ready 'port 1 of RDMA device mlx5_4 is DOWN, not ACTIVE'
echo 0 >/sys/module/vfib/parameters/port_down
echo 1 >/sys/module/vfib/parameters/gids
rdma link delete mlx5_4
rdma_add "$vfib" mlx5_4 vfib
not_ready 'RDMA device mlx5_4 has no RoCE v2 GID for 10.0.100.'
echo 32 >/sys/module/vfib/parameters/gids
rdma link delete mlx5_4
rdma_add "$vfib" mlx5_4 vfib

# a verbs device with a lower number goes away: the kernel gives its number to the next that moves
vf0=$(vf_bdf 0 0)
rdma link delete mlx5_0
c=$(conf "$vf" '{"rdma": {"required": true}}')
fails plugin ADD "$c" one net1
expect_error 100 'the move of RDMA device mlx5_1 made its uverbs1 uverbs0'
rdma_add "$vf0" mlx5_0 # has number 1 now
ok plugin ADD "$c" one net1
ok plugin DEL "$c" one net1
for n in 0 1; do rdma link delete mlx5_$n; done
for n in 0 1; do rdma_add "$(vf_bdf 0 $n)" mlx5_$n; done
expect_same "$before" "$(snapshot | grep -v '^namespace one$')"

# a process of the node has the device open, and would lose it
ibv_asyncwatch -d mlx5_1 >"$said/watch" &
wait_for 5 grep -q async "$said/watch"
fails plugin ADD "$(conf "$vf" '{"rdma": {"onBusy": "fail"}}')" one net1
expect_error 11 "RDMA device mlx5_1 is open in process $! .ibv_asyncwatch.: Device or resource busy"
[[ ! -e $record ]]
fails grep -q IBV_EVENT_DEVICE_FATAL "$said/watch"
c=$(conf "$vf" '{"rdma": {"required": true}}')
ok plugin ADD "$c" one net1
grep -q "warning: RDMA device mlx5_1 is open in process $! " "$said/stderr"
grep -q IBV_EVENT_DEVICE_FATAL "$said/watch"
stop $!
ok plugin DEL "$c" one net1
c=$(conf "$vf" '{"rdma": {"onBusy": "fail"}}')
ok plugin ADD "$c" one net1
ok plugin DEL "$c" one net1
expect_same "$before" "$(snapshot | grep -v '^namespace one$')"

# the device-info file: ours, or the device plugin's corrected; as before after DEL and after a failed ADD
dir=$said/devinfo
info() { jq -n --arg f "$dir/cni/one" '{runtimeConfig: {CNIDeviceInfoFile: $f}}'; }
c=$(conf "$vf" "$(info)")
ok plugin ADD "$c" one net1
jq -e --arg vf "$vf" --arg pf "${PFS[0]}" '. == {type: "pci", version: "1.1.0",
	pci: {"pci-address": $vf, "pf-pci-address": $pf, "rdma-device": "mlx5_1"}}' "$dir/cni/one"
[[ $(stat -c %a "$dir/cni" "$dir/cni/one" | xargs) == "755 444" ]]
ok plugin DEL "$c" one net1
[[ ! -e $dir/cni/one ]]
plugins='{"type":"pci","version":"1.0.0","pci":{"pci-address":"'$vf'","vhost-net":"/dev/x","rdma-device":"stale"}}'
echo "$plugins" >"$dir/cni/one"
ok plugin ADD "$c" one net1
jq -e '.version == "1.0.0" and .pci."vhost-net" == "/dev/x" and .pci."rdma-device" == "mlx5_1"' "$dir/cni/one"
ok plugin DEL "$c" one net1
[[ $(cat "$dir/cni/one") == "$plugins" ]]
pod_del one
expect_same "$before" "$(snapshot)"
