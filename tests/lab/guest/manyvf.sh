# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A PF with up to 126 VFs, on a machine with --many-vfs (see modules/manyvf.c). To be sourced after lib.sh.

many_bind() { # BDF
	echo manyvf >"/sys/bus/pci/devices/$1/driver_override"
	echo "$1" >/sys/bus/pci/drivers/manyvf/bind
}

# many_take COUNT: that many VFs; MANY_PF is its interface.
many_take() {
	local link
	[[ -e /sys/bus/pci/drivers/manyvf ]] || insmod "$MODULES/manyvf/manyvf.ko"
	many=$(grep -l 0x010802 /sys/bus/pci/devices/*/class | sed -n 1p) # an NVMe controller's; VFs come after their PF
	many=${many%/class}
	[[ -e $many/driver ]] || many_bind "${many##*/}"
	echo 0 >"$many/sriov_drivers_autoprobe" # they do not have our driver's name yet
	echo 0 >"$many/sriov_numvfs"
	echo "$1" >"$many/sriov_numvfs"
	for link in "$many"/virtfn*; do many_bind "$(basename "$(readlink "$link")")"; done
	MANY_PF=$(ls "$many/net")
	ip link set "$MANY_PF" mtu 9000 up
}
many_vf() { basename "$(readlink "$many/virtfn$1")"; } # N → BDF

many_give_back() {
	echo 0 >"$many/sriov_numvfs"
	rmmod manyvf
	echo >"$many/driver_override"
	echo 1 >"$many/sriov_drivers_autoprobe"
}
