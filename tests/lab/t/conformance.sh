# SPDX-License-Identifier: Apache-2.0
# Proves that cni-sriov-rdma keeps each rule of the table of the CNI specification (tests/conformance), under its own name; conformance-names.sh has the others.
# limit: 600
modprobe dummy # the kernel does not find modprobe here
before=$(snapshot)
report=/out/reports/conformance-cni-sriov-rdma.txt
VF=$(vf_bdf 0 0) "$REPO/tests/conformance/run" "$REPO/tests/conformance/plugins/cni-sriov-rdma" --report $report
fails grep ^deviates $report
expect_same "$before" "$(snapshot)"
