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
		max_tx_rate: 100, ipam: { type: "cni-ipam", subnet: "10.66.0.0/16" } }' >"$sweep_conf"
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
