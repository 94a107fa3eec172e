# SPDX-License-Identifier: Apache-2.0
# Proves that a VF belongs to one attachment: a live holder is named, a dead one is repaired, a late DEL of the old pod
# never touches what the new one has.
before=$(snapshot)
vf=$(vf_bdf 0 0)
c=$(conf "$vf")
pod_add one two

CNI_ARGS="K8S_POD_NAMESPACE=ml;K8S_POD_NAME=trainer-0" ok plugin ADD "$c" one net1
fails plugin ADD "$c" two net1
expect_error 11 "VF $vf is attached to pod ml/trainer-0 \\(container cid-one, net1, network fabric\\) since 20"
fails plugin ADD "$c" one net2 # one pod, but another interface of it
expect_error 11 'cid-one, net1'

# a namespace that cannot be looked at just now may be a living pod's: for want of a descriptor nobody loses a VF
attached=$(snapshot)
short_of_descriptors() { # COMMAND VERB POD: at the holder's namespace
	env CNI_COMMAND="$1" CNI_CONTAINERID="cid-$2" CNI_NETNS="/run/netns/$2" CNI_IFNAME=net1 CNI_PATH="$CNI_PATH" \
		"$BUILD/tests/sweep/inject" --class read,resource --match 'openat /run/netns/one' --refuse 0 --errno EMFILE \
		"$BUILD/cni-sriov-rdma/cni-sriov-rdma" ${3:+"$3"} <"$c" >"$said/stdout" 2>"$said/stderr"
}
fails short_of_descriptors ADD two
stdout_holds '.code != 11 and (.msg | test("/run/netns/one.*Too many open files"))'
fails short_of_descriptors "" one repair
grep -q 'Too many open files' "$said/stderr"
fails short_of_descriptors DEL one
expect_same "$attached" "$(snapshot)"

pod_del one # the old pod dies without DEL: the new one gets the VF, repaired
ok plugin ADD "$(conf "$vf" '{"vlan": 0, "vlanQoS": null, "mtu": null}')" two net1
[[ $(ip -n two -j link show net1 | jq '.[0].mtu') == 1500 ]]
attached=$(snapshot)
NETNS=/run/netns/one ok plugin DEL "$c" one net1 # late
NETNS="" ok plugin DEL "$c" one net1
expect_same "$attached" "$(snapshot)"
ok plugin DEL "$c" two net1
pod_del two
expect_same "$before" "$(snapshot)"

# a record of an earlier boot describes a kernel that is gone
pod_add one
ok plugin ADD "$c" one net1
ok plugin DEL "$c" one net1
record=/var/lib/cni/cni-sriov-rdma/attachments/$vf.json
ok plugin ADD "$c" one net1
cp "$record" "$said/record"
ok plugin DEL "$c" one net1
jq -c '.bootId = "00000000-0000-4000-8000-000000000000" | .before.name = "renamed"' "$said/record" >"$record"
pod_add two
ok plugin ADD "$c" two net1
ok plugin DEL "$c" two net1
pod_del one two
expect_same "$before" "$(snapshot)"

# somebody else has moved the VF
pod_add other one
ip link set "$(vf_dev "$vf")" netns other
fails plugin ADD "$c" one net1
expect_error 11 'its interface is in another network namespace, and no attachment of it is recorded'
pod_del other one
wait_for 5 vf_dev "$vf"
expect_same "$before" "$(snapshot)"
