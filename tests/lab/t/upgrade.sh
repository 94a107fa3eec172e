# SPDX-License-Identifier: Apache-2.0
# Proves that attachments which the first version made are served by this one: its records are kept below
# tests/lab/records as that version wrote them, and only what is the machine's own is put into them: CHECK, DEL, GC and
# repair do with such a record what they do with one of today.
before=$(snapshot)
vf=$(vf_bdf 0 0)
store=/var/lib/cni/cni-sriov-rdma/attachments
c=$(conf "$vf" '{"ipam": null}')

# attach with today's plugin, and put the old version's record in the place of its own
attach_as_first_version() {
	ok plugin ADD "$c" one net1
	jq --slurpfile now "$store/$vf.json" '$now[0] as $n | .bootId = $n.bootId | .netnsId = $n.netnsId | .cniPath = $n.cniPath
		| .conf.deviceID = $n.conf.deviceID | .result.interfaces[0] |= (.mac = $n.result.interfaces[0].mac | .pciID = $n.conf.deviceID)
		| .before |= (.name = $n.before.name | .mac = $n.before.mac | .pfMac = $n.before.pfMac | .rdma[0].uverbs = $n.before.rdma[0].uverbs)' \
		"$REPO/tests/lab/records/0.1.0-first.json" >"$said/record"
	cp "$said/record" "$store/$vf.json"
}
for way in del gc repair; do
	pod_add one
	idle=$(snapshot)
	attach_as_first_version
	ok plugin CHECK "$c" one net1
	prints "^$vf .*alive" "$BUILD/cni-sriov-rdma/cni-sriov-rdma" list
	ip -n one link set net1 mtu 1400
	fails plugin CHECK "$c" one net1
	expect_error 101 'mtu is 1400, not 4500'
	case $way in
	del) ok plugin DEL "$c" one net1 ;;
	gc)
		CID="" NETNS="" ok plugin GC "$(conf "$vf" "{\"ipam\": null, \"cni.dev/valid-attachments\": [{\"containerID\": \"cid-one\", \"ifname\": \"net1\"}]}")" "" ""
		[[ -e $store/$vf.json ]]
		CID="" NETNS="" ok plugin GC "$(conf "$vf" '{"ipam": null, "cni.dev/valid-attachments": []}')" "" ""
		;;
	repair)
		pod_del one
		prints "^$vf: repaired" "$BUILD/cni-sriov-rdma/cni-sriov-rdma" repair
		pod_add one
		;;
	esac
	expect_same "$idle" "$(snapshot)"
	pod_del one
done
expect_same "$before" "$(snapshot)"
