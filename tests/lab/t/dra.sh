# SPDX-License-Identifier: Apache-2.0
# Proves that the plugins run where dra-driver-sriov calls them: in a root with nothing but what that driver's container
# has mounted, one configuration without a chain, a top-level deviceID, no runtimeConfig; all in it is undone by DEL. That
# an ADD is far from the hook's two seconds is shown as a ratio to the move of the interface alone, measured beside it.
before=$(snapshot)
vf=$(vf_bdf 0 0)
root=$said/root
mkdir -p "$root"/{bin,sys,proc,var/lib/cni,run/netns}
ln -s ../run "$root/var/run"
cp "$BUILD"/cni-{sriov-rdma/cni-sriov-rdma,ipam/cni-ipam} "$root/bin/"
pod_add one
for dir in /sys /proc /run/netns /var/lib/cni; do mkdir -p "$dir" && mount --rbind "$dir" "$root$dir"; done
trap 'umount -Rl "$root"/{sys,proc,run/netns,var/lib/cni}; rm -rf --one-file-system "$said"' EXIT
idle=$(snapshot)
conf=$(conf "$vf" '{"name": "dra-rail", "rdma": {"required": true, "readyTimeoutMs": 500}}')
inside() { # VERB NETNS
	chroot "$root" /usr/bin/env -i 2>/dev/null && fail "there is more in the root than the plugins"
	CNI_COMMAND=$1 CNI_CONTAINERID=cid-one CNI_NETNS=$2 CNI_IFNAME=net1 CNI_PATH=/bin \
		chroot "$root" /bin/cni-sriov-rdma <"$conf" >"$said/stdout" 2>"$said/stderr" || fail "$1: $(<"$said/stdout")"
}
now_ms() { echo $((${EPOCHREALTIME/./} / 1000)); }

# quickest COMMAND…: how long it takes, of three times; between them `undo` is called
quickest() {
	local best=0 start took
	for _ in 1 2 3; do
		start=$(now_ms)
		"$@"
		took=$(($(now_ms) - start))
		((best && best < took)) || best=$took
		undo
	done
	echo "$best"
}

undo() { inside DEL "$netns"; }
for netns in /var/run/netns/one ""; do
	inside ADD /var/run/netns/one
	expect_result '.interfaces[0] | .name == "net1" and .sandbox == "/var/run/netns/one"'
	expect_result '.ips | length == 1'
	[[ $(pod_rdma one) == mlx5_0 ]]
	inside CHECK /var/run/netns/one
	undo
	expect_same "$idle" "$(snapshot)"
done
add=$(quickest inside ADD /var/run/netns/one)
expect_same "$idle" "$(snapshot)"

dev=$(vf_dev "$vf")
undo() { ip -n one link set "$dev" netns 1; }
move=$(quickest ip link set "$dev" netns one)
# on hardware a move takes some 20 ms, so that this is a third of what the hook allows; the guest is emulated, and slow
echo "ADD $add ms, the move of the interface alone $move ms"
((add <= 30 * move)) || fail "an ADD takes $add ms, more than 30 times the $move ms of moving the interface"
pod_del one
expect_same "$before" "$(snapshot)"
