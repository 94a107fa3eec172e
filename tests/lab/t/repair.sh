# SPDX-License-Identifier: Apache-2.0
# Proves the command line: what is attached is listed, what is left over is repaired, what lives is left alone.
before=$(snapshot)
a=$(vf_bdf 0 0) b=$(vf_bdf 0 1)
attach="$BUILD/cni-sriov-rdma/cni-sriov-rdma"
[[ $("$attach" list) == "no attachments" ]]
[[ $("$attach" list --json) == "[]" ]]

pod_add one two
CNI_ARGS="K8S_POD_NAMESPACE=ml;K8S_POD_NAME=trainer-0" ok plugin ADD "$(conf "$a")" one net1
ok plugin ADD "$(conf "$b")" two net1
prints "^$a +eth0 +alive +20[^ ]+Z +net1 +ml/trainer-0 +fabric" "$attach" list
pod_del one
"$attach" list --json | jq -e --arg a "$a" '.[0] == (.[0] + {vf: $a, pf: "eth0", state: "gone", pod: "ml/trainer-0",
	containerId: "cid-one", ifname: "net1", network: "fabric", complete: true}) and .[1].state == "alive"'

held=$(snapshot)
prints "^$a: would be repaired" "$attach" repair --dry-run
expect_same "$held" "$(snapshot)"
prints "^$b: attached to a living pod, left alone" "$attach" repair "$b"
prints "^$a: repaired" "$attach" repair "$a"
[[ -z $("$attach" repair) ]]
ok plugin CHECK "$(conf "$b")" two net1
ok plugin DEL "$(conf "$b")" two net1
pod_del two
expect_same "$before" "$(snapshot)"

for wrong in "" list\ x nonsense "repair ../x" "rdma-mode both" --nonsense; do
	status=0
	# shellcheck disable=SC2086 # words
	env -u CNI_COMMAND "$attach" $wrong >/dev/null 2>"$said/usage" || status=$?
	[[ -z $wrong ]] || ((status == 2)) || fail "'$wrong' gave $status"
	[[ -s $said/usage ]]
done
[[ $("$attach" rdma-mode) == exclusive ]]
pod_add one
fails "$attach" rdma-mode shared 2>"$said/stderr"
grep -q 'only while no other network namespace exists' "$said/stderr"
pod_del one
