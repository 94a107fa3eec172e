# SPDX-License-Identifier: Apache-2.0
# Proves the attach of a VF that user space drives (vfio-pci, uio_pci_generic): the PF's side is set, addresses are
# returned and not configured, the result has MAC and the PF's MTU; DEL restores.
# lab: --iommu
vf=$(vf_bdf 0 0)
device=/sys/bus/pci/devices/$vf
netdev=$(vf_dev "$vf")
rdma link delete mlx5_0
bind() { # [DRIVER]: the VF's own without one
	echo "${1:-}" >"$device/driver_override"
	[[ ! -e $device/driver ]] || echo "$vf" >"$device/driver/unbind"
	echo "$vf" >/sys/bus/pci/drivers_probe
	[[ $(basename "$(readlink "$device/driver")") == "${1:-igbvf}" ]]
}

for driver in vfio-pci uio_pci_generic; do
	modprobe $driver
	bind $driver
	before=$(snapshot)
	pod_add one
	c=$(conf "$vf" '{"mac": "02:00:00:00:0a:01", "spoofchk": "off"}')
	ok plugin ADD "$c" one net1
	expect_result '.interfaces[0] == (.interfaces[0] + {name: "net1", mac: "02:00:00:00:0a:01", mtu: 9000}) and
		(.ips[0].address | startswith("10.0.100."))'
	fails ip -n one link show net1
	ip -d -j link show "$(pf_dev 0)" | jq -e '.[0].vfinfo_list[0] | .spoofchk == false and .address == "02:00:00:00:0a:01"'
	ok plugin CHECK "$c" one net1
	ok plugin DEL "$c" one net1
	pod_del one
	expect_same "$before" "$(snapshot)"
done

bind
wait_for 5 vf_dev "$vf"
[[ $(vf_dev "$vf") == "$netdev" ]] || ip link set "$(vf_dev "$vf")" name "$netdev"
rdma_add "$vf" mlx5_0
