#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# attach-guest.sh CALL ROUNDS PLUGIN-DIR: the part of tests/bench/attach that runs in the guest. Leaves /out/medians, and
# /out/strace.NAME of one call of each verb.
set -euo pipefail
call=$1 rounds=$2 plugins=$3
. "$REPO/tests/lab/guest/lib.sh"
. "$REPO/tests/lab/guest/manyvf.sh"
node_setup
pod_add one
ip netns attach host $$
pf=$(pf_dev 0)
vf=$(vf_bdf 0 0) dev=$(vf_dev "$vf")
plain=$(vf_bdf 0 1) # without an RDMA device, as host-device moves none
rdma link delete mlx5_1
attach=$BUILD/cni-sriov-rdma/cni-sriov-rdma ipam=$BUILD/cni-ipam/cni-ipam
mac=02:00:00:00:0a:01
export CNI_CONTAINERID=bench CNI_NETNS=/run/netns/one CNI_IFNAME=net1 CNI_PATH=$BUILD/cni-ipam:$plugins

host_local='{"type": "host-local", "dataDir": "/run/host-local"}'
full=$(conf "$vf" "{\"mac\": \"$mac\"}")
without=$(conf "$plain" "{\"mac\": \"$mac\"}")
bare=$(conf "$plain" "{\"cniVersion\": \"1.0.0\", \"vlan\": null, \"vlanQoS\": null, \"mtu\": null, \"ipam\": $host_local}")
bare_host_device=$(conf "$plain" "{\"type\": \"host-device\", \"cniVersion\": \"1.0.0\", \"pciBusID\": \"$plain\", \"ipam\": $host_local}")
sriov=$(conf "$vf" "{\"type\": \"sriov\", \"cniVersion\": \"1.0.0\", \"mac\": \"$mac\", \"ipam\": $host_local}")
rdma=$(conf "$vf" '{"type": "rdma", "cniVersion": "1.0.0", "ipam": null, "prevResult": {"cniVersion": "1.0.0",
	"interfaces": [{"name": "net1", "sandbox": "/run/netns/one"}], "ips": []}}')

# the same by a person who knows that a VF may not change its MAC once the PF has set it
by_hand="by-hand - rdma dev set mlx5_0 netns one
by-hand - ip link set $dev netns one name net1 address $mac mtu 4500
by-hand - ip link set $pf vf 0 mac $mac vlan 100 qos 3
by-hand - ip -n one link set net1 up
by-hand - ip -n one addr add 10.0.100.9/24 dev net1
by-hand-back - ip netns exec one rdma dev set mlx5_0 netns host
by-hand-back - ip link set $pf vf 0 mac 00:00:00:00:00:00 vlan 0
by-hand-back - ip -n one link set net1 netns 1 name $dev address $(<"/sys/class/net/$dev/address") mtu 1500"

steps="true - /bin/true
version VERSION $attach $full
ipam-version VERSION $ipam $full
ip-netns - ip link set $dev netns one
ip-netns-back - ip -n one link set $dev netns 1
. - ip link set $dev up
ip-netns-up - ip link set $dev netns one
. - ip -n one link set $dev netns 1
add ADD $attach $full
del DEL $attach $full
no-rdma-add ADD $attach $without
no-rdma-del DEL $attach $without
$by_hand
plain-add ADD $attach $bare
plain-del DEL $attach $bare"
has() { for name; do [[ -x $plugins/$name ]] || return; done; }
if has host-device host-local; then
	steps+="
host-device-add ADD $plugins/host-device $bare_host_device
host-device-del DEL $plugins/host-device $bare_host_device"
fi
if has sriov host-local; then
	steps+="
sriov-add ADD $plugins/sriov $sriov
sriov-del DEL $plugins/sriov $sriov"
fi
if has sriov host-local rdma; then
	steps+="
sriov-rdma-add ADD $plugins/sriov $sriov
sriov-rdma-add ADD $plugins/rdma $rdma
sriov-rdma-del DEL $plugins/rdma $rdma
sriov-rdma-del DEL $plugins/sriov $sriov"
fi
"$call" "$rounds" <<<"$steps" >/out/medians

trace() { # NAME VERB PROGRAM CONF
	CNI_COMMAND=$2 strace -f -T -v -s 256 -o "/out/strace.$1" "$3" <"$4" >/dev/null
}
while read -r name verb program conf; do
	[[ $verb == - || $name == sriov* || -e /out/strace.$name ]] || trace "$name" "$verb" "$program" "$conf"
done <<<"$steps"

# both NAME ROUNDS: ADD and DEL. Where the node is changed for them, half of the rounds without the change come before those
# with it, and half after, so that a drift of the machine is no difference.
both() { "$call" "$2" <<<"add-$1 ADD $attach $full"$'\n'"del-$1 DEL $attach $full"; }
modprobe dummy numdummies=0
half=$((rounds / 2 + 1))
many_links() { # yes|no
	local i
	for ((i = 0; i < 1000; i++)); do
		if [[ $1 == yes ]]; then echo "link add more$i type dummy"; else echo "link del more$i"; fi
	done | ip -batch -
}
both few $half >/out/half.1
many_links yes
both links "$rounds" >>/out/medians
many_links no
rdma_devices() { # yes|no: 100 of them, of interfaces that no VF has anything to do with
	local i
	[[ $1 == no ]] || echo 0 >/sys/module/vfib/parameters/parent
	for ((i = 0; i < 100; i++)); do
		if [[ $1 == yes ]]; then
			ip link add "more$i" type dummy
			rdma link add "mlx5_more$i" type vfib netdev "more$i"
		else
			rdma link delete "mlx5_more$i"
			ip link del "more$i"
		fi
	done
	echo 1 >/sys/module/vfib/parameters/parent
}
rdma_devices yes
both devices "$rounds" >>/out/medians
rdma_devices no
both few $half >/out/half.2

some_vfs() { # NAME COUNT ROUNDS: of a NIC that can have 126
	many_take "$2"
	full=$(conf "$(many_vf 0)" "{\"mac\": \"$mac\"}")
	both "$1" "$3"
}
some_vfs vf 1 $half >>/out/half.1
some_vfs vfs 126 "$rounds" >>/out/medians
some_vfs vf 1 $half >>/out/half.2

# the mean of the two halves
awk '{ wall[$1] += $2 / 2; cpu[$1] += $3 / 2; memory[$1] = $4 } END { for (n in wall) print n, wall[n], cpu[n], memory[n] }' \
	/out/half.[12] >>/out/medians
