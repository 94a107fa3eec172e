# SPDX-License-Identifier: Apache-2.0
# Proves that the plugins run where dra-driver-sriov calls them: in a root with nothing but what that driver's container
# has mounted, one configuration without a chain, a top-level deviceID, no runtimeConfig; all in it is undone by DEL, and
# nothing is written but below what is mounted: the rest goes when that container does.
# What an ADD takes of the hook's two seconds, tests/bench/attach tells.
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
own_files() { find "$root" -xdev | sort; }
own=$(own_files)
for netns in /var/run/netns/one ""; do
	inside ADD /var/run/netns/one
	expect_result '.interfaces[0] | .name == "net1" and .sandbox == "/var/run/netns/one"'
	expect_result '.ips | length == 1'
	[[ $(pod_rdma one) == mlx5_0 ]]
	inside CHECK /var/run/netns/one
	diff <(echo "$own") <(own_files)
	inside DEL "$netns"
	expect_same "$idle" "$(snapshot)"
done
pod_del one
expect_same "$before" "$(snapshot)"
