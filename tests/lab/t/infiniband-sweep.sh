# SPDX-License-Identifier: Apache-2.0
# The fault sweep over an InfiniBand VF with a GUID, for which its driver is unbound and bound (see infiniband.sh): at each
# point one error and one kill, of which a run takes an eighth, by chance; and mistakes that are planted are caught.
# lab: --timeout 700
# limit: 600
. "$REPO/tests/lab/guest/infiniband.sh"
. "$REPO/tests/sweep/node.sh"
ib_setup
SWEPT=${IB_VFS[1]}
dev=$(vf_dev "$SWEPT")
ib_guid 1 02:aa:bb:cc:dd:00:00:01 # one that can be restored
rdma dev set "$(vf_rdma "$SWEPT")" name rail1
ip link set "$dev" name ibrail1 alias "of the node" txqueuelen 900 mtu 1900 group 5
ip link property add dev ibrail1 altname of-the-node altname of-the-node-too
sweep_conf=$said/sweep.json
jq -n '{ cniVersion: "1.1.0", name: "swept", type: "cni-sriov-rdma", logLevel: "error", mtu: 2000,
	link_state: "enable", runtimeConfig: { infinibandGUID: "02:aa:bb:cc:dd:00:00:02" },
	ipam: { type: "cni-ipam", subnet: "10.66.0.0/16" } }' >"$sweep_conf"
sweep --part "${SWEEP_PART:-$((RANDOM % 8))}/8"
sweep --planted
ib_teardown
