# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For the lab's tests of InfiniBand: PF 1 as a fake HCA, with three VFs (see modules/fakehca.c). To be sourced after
# lib.sh. IB_PF is its interface, IB_VFS are the VFs' PCI addresses.

# shellcheck disable=SC2154 # PFS is lib.sh's
ib_device=/sys/bus/pci/devices/${PFS[1]}

ib_take() { # BDF: give it to fakehca
	echo fakehca >"/sys/bus/pci/devices/$1/driver_override"
	echo "$1" >/sys/bus/pci/drivers_probe
}

ib_setup() {
	local n vf
	ib_macs=() IB_VFS=()
	for n in 0 1 2 3; do ib_macs+=("$(cat "/sys/class/net/$(vf_dev "$(vf_bdf 1 $n)")/address")"); done
	for n in 4 5 6; do rdma link delete mlx5_$n; done
	echo 0 >"$ib_device/sriov_numvfs"
	modprobe ib_ipoib
	insmod "$MODULES/fakehca/fakehca.ko"
	echo "${PFS[1]}" >"$ib_device/driver/unbind"
	ib_take "${PFS[1]}"
	IB_PF=$(pf_dev 1)
	echo 0 >"$ib_device/sriov_drivers_autoprobe" # or igbvf takes them
	echo 3 >"$ib_device/sriov_numvfs"
	for n in 0 1 2; do
		vf=$(vf_bdf 1 $n)
		ib_take "$vf"
		IB_VFS+=("$vf")
	done
	ip link set "$IB_PF" up
}

ib_teardown() { # igb again, all as node_setup has it
	local n
	echo 0 >"$ib_device/sriov_numvfs"
	echo >"$ib_device/driver_override"
	echo "${PFS[1]}" >"$ib_device/driver/unbind"
	rmmod fakehca ib_ipoib
	echo 1 >"$ib_device/sriov_drivers_autoprobe"
	echo "${PFS[1]}" >/sys/bus/pci/drivers_probe
	ip link set "$(pf_dev 1)" mtu 9000 up
	vfs_create 1 4
	for n in 0 1 2 3; do ip link set "$(vf_dev "$(vf_bdf 1 $n)")" address "${ib_macs[n]}"; done
	rdma_add "$(vf_bdf 1 0)" mlx5_4 vfib
	rdma_add "$(vf_bdf 1 1)" mlx5_5 vfib
	rdma_add "$(vf_bdf 1 2)" mlx5_6 fixed
}

# ib_guid VF [GUID]: what the PF shows of a VF, "NODE PORT"; or set both, and bind the VF's driver anew.
ib_guid() {
	if [[ -n ${2:-} ]]; then
		ip link set "$IB_PF" vf "$1" node_guid "$2"
		ip link set "$IB_PF" vf "$1" port_guid "$2"
		ib_rebind "${IB_VFS[$1]}"
	else
		ip link show "$IB_PF" | sed -n "s/^ *vf $1 .*NODE_GUID \([^,]*\), PORT_GUID \([^,]*\),.*/\1 \2/p"
	fi
}
ib_rebind() { # BDF
	echo "$1" >/sys/bus/pci/drivers/fakehca/unbind
	echo "$1" >/sys/bus/pci/drivers/fakehca/bind
}
