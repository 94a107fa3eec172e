# SPDX-License-Identifier: Apache-2.0
# Proves the attach of a VF that user space drives (vfio-pci): the PF's side is set, addresses are returned and not
# configured, the result has MAC and the PF's MTU; DEL restores.
# lab: --iommu
modprobe vfio-pci
vf=$(vf_bdf 0 0)
device=/sys/bus/pci/devices/$vf
netdev=$(vf_dev "$vf")
rdma link delete mlx5_0
echo vfio-pci >"$device/driver_override"
echo "$vf" >"$device/driver/unbind"
echo "$vf" >/sys/bus/pci/drivers_probe
[[ $(basename "$(readlink "$device/driver")") == vfio-pci ]]
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

echo >"$device/driver_override"
echo "$vf" >"$device/driver/unbind"
echo "$vf" >/sys/bus/pci/drivers_probe
wait_for 5 vf_dev "$vf"
[[ $(vf_dev "$vf") == "$netdev" ]] || ip link set "$(vf_dev "$vf")" name "$netdev"
rdma_add "$vf" mlx5_0
