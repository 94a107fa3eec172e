# SPDX-License-Identifier: Apache-2.0
# Proves that the plugin keeps the rules of the table of the CNI specification under the names sriov, ib-sriov (on the fake
# HCA) and rdma, too; what rdma, which has nothing of its own, does otherwise is in the table. Of a case for several values
# the last is enough here (--once), and of sriov and ib-sriov what comes after environment and configuration have been read:
# until then they are one program, and conformance.sh has all of it.
# limit: 400
. "$REPO/tests/lab/guest/infiniband.sh"
modprobe dummy # the kernel does not find modprobe here
before=$(snapshot)
export NAMES=$said/names
mkdir "$NAMES"
for name in sriov ib-sriov rdma; do ln -s "$BUILD/cni-sriov-rdma/cni-sriov-rdma" "$NAMES/$name"; done
table() { # NAME VF
	VF=$2 "$REPO/tests/conformance/run" "$REPO/tests/conformance/plugins/$1" --once --report "/out/reports/conformance-$1.txt"
}
table sriov "$(vf_bdf 0 0)"
table rdma "$(vf_bdf 0 0)"
fails grep ^deviates /out/reports/conformance-sriov.txt
ib_setup
ib_guid 0 02:00:00:00:00:00:01:00 # one that can be restored
table ib-sriov "${IB_VFS[0]}"
fails grep ^deviates /out/reports/conformance-ib-sriov.txt
ib_teardown
expect_same "$before" "$(snapshot)"
