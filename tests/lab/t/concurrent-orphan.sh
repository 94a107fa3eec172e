# SPDX-License-Identifier: Apache-2.0
# A runtime that loses patience kills its plugin, not the IPAM plugin which that has started: it lives on, and may take an
# address after the runtime's DEL has released "all". So DEL waits for it: the VF's lock is the delegate's, too.
slow=$(mktemp -d)
cat >"$slow/slow-ipam" <<-EOF
	#!/bin/sh
	if [ "\$CNI_COMMAND" = ADD ]; then touch $slow/begun; sleep 3; fi
	exec $BUILD/cni-ipam/cni-ipam
EOF
chmod +x "$slow/slow-ipam"
CNI_PATH=$slow:$CNI_PATH
bdf=$(vf_bdf 0 0)
jq -n --arg vf "$bdf" '{ cniVersion: "1.1.0", name: "orphan", type: "cni-sriov-rdma", deviceID: $vf,
	ipam: { type: "slow-ipam", subnet: "10.88.0.0/24" } }' >"$slow/conf"

pod_add one
plugin ADD "$slow/conf" one net1 &
wait_for 10 test -e "$slow/begun"
kill -KILL "$(pgrep -x cni-sriov-rdma)"
wait || true
plugin DEL "$slow/conf" one net1 || fail "DEL: $(<"$said/stdout")"
[[ -n $(vf_dev "$bdf") ]] || fail "the VF is not home"
sleep 4 # an orphan that was still there would have its address now
leases=$("$BUILD/cni-ipam/cni-ipam" leases --json)
[[ $leases != *'"orphan"'* ]] || fail "an address is leaked: $leases"
pod_del one
rm -rf "$slow"
