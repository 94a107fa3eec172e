# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# For the lab's tests of the fault sweep: a VF that an administrator has set up, so that going back to it is more
# than going back to what a driver begins with. SWEPT is its PCI address.

# shellcheck disable=SC2154 # said is the lab's
node_for_sweep() {
	local pf dev
	SWEPT=$(vf_bdf 0 0)
	pf=$(pf_dev 0) dev=$(vf_dev "$SWEPT")
	wait_for 10 grep -qx 1 "/sys/class/net/$pf/carrier" # igb limits a rate to the speed of the link
	ip link property add dev "$dev" altname of-the-node altname of-the-node-too
	ip link set "$dev" alias "of the node" txqueuelen 900
	ip link set "$pf" vf 0 vlan 7 qos 2
	ip link set "$pf" vf 0 max_tx_rate 200
	sweep_conf=$said/sweep.json
	jq -n '{ cniVersion: "1.1.0", name: "swept", type: "cni-sriov-rdma", logLevel: "error",
		vlan: 100, vlanQoS: 3, mac: "02:00:00:00:05:01", mtu: 4500, spoofchk: "off", trust: "on",
		max_tx_rate: 100, ipam: { type: "cni-ipam", subnet: "10.66.0.0/16", gateway: "10.66.0.1" },
		rdma: { workloadDir: "/run/swept/{containerID}" }, sourceRouting: true,
		sysctl: { "net.ipv4.conf.IFNAME.arp_ignore": "1", "net.ipv4.conf.all.arp_notify": "1" } }' >"$sweep_conf"
}

node_after_sweep() {
	local pf dev
	pf=$(pf_dev 0) dev=$(vf_dev "$SWEPT")
	ip link property del dev "$dev" altname of-the-node altname of-the-node-too
	ip link set "$dev" alias "" txqueuelen 1000
	ip link set "$pf" vf 0 vlan 0
	ip link set "$pf" vf 0 max_tx_rate 0
}

# sweep OPTION…: see tests/sweep/sweep.c
sweep() {
	"$BUILD/tests/sweep/sweep" --vf "$SWEPT" "$@" "$BUILD/cni-sriov-rdma/cni-sriov-rdma" "$CNI_PATH" "$sweep_conf"
}

# --- the storm -------------------------------------------------------------------------------------------------------

# node_for_storm: STORMED are the VFs: those of the lab, but for the one whose RDMA device cannot move.
node_for_storm() {
	local pf n
	STORMED=()
	for pf in 0 1; do
		for ((n = 0; n < ${1:-4}; n++)); do STORMED+=("$(vf_bdf $pf $n)"); done
	done
	[[ -n ${1:-} ]] || unset 'STORMED[6]'
	storm_conf=$said/storm.json
	jq -n '{ cniVersion: "1.1.0", name: "stormed", type: "cni-sriov-rdma", logLevel: "error",
		vlan: 100, vlanQoS: 3, mtu: 4500, trust: "on", spoofchk: "off",
		ipam: { type: "cni-ipam", subnet: "10.77.0.0/24" } }' >"$storm_conf"
}

# node_for_big_storm: 7 VFs on each PF, each with an RDMA device. It takes half a minute to make them. The addresses
# of the lab's own are kept for node_after_big_storm.
node_for_big_storm() {
	local pf n
	stormed_macs=()
	for pf in 0 1; do
		for n in 0 1 2 3; do stormed_macs+=("$(cat "/sys/class/net/$(vf_dev "$(vf_bdf $pf $n)")/address")"); done
	done
	storm_vfs 7
	for pf in 0 1; do
		for n in 0 1 2 3 4 5 6; do
			rdma_add "$(vf_bdf $pf $n)" "storm_$pf$n" "$([[ $pf == 0 ]] && echo rxe || echo vfib)"
		done
	done
	node_for_storm 7
}

# storm_vfs COUNT: on both PFs, the first one's first, so that the kernel gives the same names as at the node's setup.
storm_vfs() {
	local n
	for n in $(rdma -j dev | jq -r '.[].ifname'); do rdma link delete "$n"; done
	echo 0 >"/sys/bus/pci/devices/${PFS[0]}/sriov_numvfs"
	echo 0 >"/sys/bus/pci/devices/${PFS[1]}/sriov_numvfs"
	vfs_create 0 "$1"
	vfs_create 1 "$1"
}

node_after_big_storm() {
	local pf n
	storm_vfs 4
	for pf in 0 1; do
		for n in 0 1 2 3; do ip link set "$(vf_dev "$(vf_bdf $pf $n)")" address "${stormed_macs[pf * 4 + n]}"; done
	done
	rdma_setup
}

# storm OPTION…: see tests/sweep/storm.c
storm() {
	"$BUILD/tests/sweep/storm" "$@" "$BUILD/cni-sriov-rdma/cni-sriov-rdma" "$CNI_PATH" "$storm_conf" "${STORMED[@]}"
}
