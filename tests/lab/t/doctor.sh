# SPDX-License-Identifier: Apache-2.0
# Proves that cni-sriov-rdma-doctor passes where a pod can use its RDMA device, and names what is wrong where it cannot: port,
# MTU, GID, device, device node; and that CHECK does so by it.
before=$(snapshot)
bin=$BUILD/cni-sriov-rdma/cni-sriov-rdma-doctor
one=$(vf_bdf 0 0) two=$(vf_bdf 0 1)
pod_add one two four
verbs=$(conf "$one" '{"rdma": {"check": "verbs"}, "ipam": {"subnet": null,
	"ranges": [[{"subnet": "10.0.100.0/24"}], [{"subnet": "fd00:100::/64"}]]}}')
ok plugin ADD "$verbs" one net1
ok plugin ADD "$(conf "$two")" two net1

# doctor STATUS POD OPTION…: its JSON report is in $said/report
doctor() {
	local status=0
	"$bin" --netns "/run/netns/$2" --json "${@:3}" >"$said/report" || status=$?
	((status == $1)) || fail "status $status, not $1: $(<"$said/report")"
}
holds() { jq -es "${@:2}" "length == 1 and (.[0] | $1)" "$said/report" >/dev/null || fail "not so: $1: $(<"$said/report")"; }
# failed ID PATTERN: that is the first check which failed, and its reason
failed() {
	# shellcheck disable=SC2016 # jq's
	holds '.status == "fail" and ([.checks[] | select(.status == "fail")][0] | .id == $id and (.reason | test($reason)))' \
		--arg id "$1" --arg reason "$2"
}

# all is well: by path, by process, from within, as text
doctor 0 one
# shellcheck disable=SC2016 # jq's
holds '.status == "pass" and .mode == "local" and .netns == "/run/netns/one" and (.kernel | length > 0) and
	(.bootId | length == 36) and (.time | endswith("Z")) and .netnsInode == $inode and
	([.checks[].id] == ["device", "open", "guid", "memory", "port", "link-layer", "mtu", "gid", "cm", "loopback"]) and
	all(.checks[]; .status == "pass" and .device == "mlx5_0" and .bdf == $vf and .interface == "net1") and
	any(.checks[]; .id == "gid" and (.values.gids | length == 2)) and
	any(.checks[]; .id == "mtu" and .values.activeMtu == 4096)' \
	--arg vf "$one" --argjson inode "$(stat -L -c %i /run/netns/one)"
"$bin" --netns /run/netns/one --device mlx5_0 --interface net1 --pod default/a | tee "$said/text"
grep -q 'pod default/a' "$said/text"
grep -q '10 checks, 0 failed' "$said/text"
ip netns exec one sleep 60 &
wait_for 5 test "/proc/$!/ns/net" -ef /run/netns/one
"$bin" --pid $! --interface net1 >/dev/null
stop $!
in_pod one "$bin" --interface net1 >/dev/null

# what is wrong is named
doctor 1 one --device mlx5_1 # another pod's
failed device 'no RDMA device mlx5_1 is in this network namespace'
holds '.checks == [.checks[0]] and .checks[0].observed == "RDMA devices here: mlx5_0"'
doctor 1 four
failed device 'no RDMA device is in this network namespace'
doctor 1 four --interface net1
failed device 'interface net1: No such device'
modprobe dummy
ip -n one link add other type dummy
ip -n one link set other up
doctor 1 one --device mlx5_0 --interface other
failed device 'mlx5_0 is not that of interface other'
doctor 1 one --interface other
failed device 'no RDMA device of interface other is in this'
ip -n one link del other
ip -n one link set net1 mtu 4100
doctor 0 one
holds 'any(.checks[]; .id == "mtu" and .values.activeMtu == 2048 and (.warning | test("4192 and more")))'
ip -n one link set net1 mtu 4500
fails "$bin" --netns /run/netns/none --json >"$said/report" 2>/dev/null
holds '.status == "error" and (.error | test("--netns: open /run/netns/none"))'
fails "$bin" --netns /proc/version 2>"$said/text"
grep -q 'is not a network namespace' "$said/text"

# CHECK by verbs
ok plugin CHECK "$verbs" one net1
[[ ! -s $said/stdout ]]
mv /dev/infiniband/uverbs0 /dev/infiniband/away
fails plugin CHECK "$verbs" one net1
expect_error 101 'RDMA check open of mlx5_0 failed'
expect_error 101 'open: libibverbs does not open mlx5_0: is /dev/infiniband/uverbs0 there'
ok plugin CHECK "$(jq 'del(.rdma)' "$verbs" >"$said/plain" && echo "$said/plain")" one net1 # which did not see it
doctor 1 one
failed open 'is /dev/infiniband/uverbs0 there'
holds 'any(.checks[]; .id == "loopback" and .status == "fail" and .read == false and (.reason | test("needs check memory")))'
mv /dev/infiniband/away /dev/infiniband/uverbs0
ok plugin CHECK "$verbs" one net1
mkdir "$said/alone" # the plugin without a doctor beside it, and then with one in CNI_PATH
cp "$BUILD/cni-sriov-rdma/cni-sriov-rdma" "$said/alone/"
alone() {
	CNI_COMMAND=CHECK CNI_CONTAINERID=$(pod_cid one) CNI_NETNS=/run/netns/one CNI_IFNAME=net1 CNI_PATH=$1 \
		"$said/alone/cni-sriov-rdma" <"$verbs" >"$said/stdout"
}
fails alone "$BUILD/cni-ipam"
stdout_holds '.code == 7 and (.msg | test("rdma.check: \"verbs\" needs cni-sriov-rdma-doctor"))'
alone "$CNI_PATH"

ip -n one link set net1 down
doctor 1 one
failed port 'port 1 of mlx5_0 is .*down'
holds 'any(.checks[]; .id == "loopback" and .status == "fail" and .read == false and (.reason | test("needs check port")))'
ok plugin DEL "$verbs" one net1
ok plugin DEL "$(conf "$two")" two net1

# a GID that never comes: no room for it in the device's table
vfib=$(vf_bdf 1 0)
rdma link delete mlx5_4
echo 1 >/sys/module/vfib/parameters/gids
rdma_add "$vfib" mlx5_4 vfib
ok plugin ADD "$(conf "$vfib" '{"rdma": {"readyTimeoutMs": 100}}')" four net1
doctor 1 four
holds 'any(.checks[]; .id == "gid" and .status == "fail" and .read and (.reason | test("mlx5_4 has no RoCE v2 GID for 10.0.100.")))'
holds 'any(.checks[]; .id == "cm" and .status == "fail")'
ok plugin DEL "$(conf "$vfib")" four net1
echo 32 >/sys/module/vfib/parameters/gids
rdma link delete mlx5_4
rdma_add "$vfib" mlx5_4 vfib
pod_del one two four
expect_same "$before" "$(snapshot)"
