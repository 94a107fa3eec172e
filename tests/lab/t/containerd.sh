# SPDX-License-Identifier: Apache-2.0
# Proves that a container which containerd runs (`ctr run --cni`) has a VF and its RDMA device, and that its end, of which
# CNI hears by a DEL without a namespace, gives all back; and when no DEL comes at all, the VF's next container repairs.
. "$REPO/tests/lab/guest/runtime.sh"
before=$(snapshot)
vf=$(vf_bdf 0 0)
PATH=$CONTAINERD/usr/bin:$CONTAINERD/usr/sbin:$PATH
mkdir -p /etc/cni/net.d /run/containerd
container_root
cgroups_mount
logged_plugins /opt/cni/bin
rm -f /etc/cni/net.d/*
cp "$(conf "$vf" '{"cniVersion": "1.0.0"}')" /etc/cni/net.d/10-fabric.conf
printf 'version = 2\nroot = "%s"\nstate = "/run/containerd/state"\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n' "$said/containerd" \
	>"$said/config.toml"
containerd --config "$said/config.toml" >"$said/containerd.log" 2>&1 &
daemon=$!
undo() {
	stop $daemon
	cgroups_umount || true
	rm -rf "$said" /opt/cni/bin /etc/cni/net.d
}
trap undo EXIT
wait_for 60 ctr version

run() { ctr run --cni --env PATH=/bin "${@:2}" --rootfs "$root" "$1" /bin/sh -c "$command"; } # ID OPTION…
# shellcheck disable=SC2016 # for the shell in the container
command='ip -o addr show eth0; echo mtu $(cat /sys/class/net/eth0/mtu); echo rdma $(ls /sys/class/infiniband)'
run first --rm >"$said/seen" || fail "$(tail -n 20 "$said/containerd.log")"
for fact in 'inet 10.0.100.' '^mtu 4500$' '^rdma mlx5_0$'; do
	grep -q "$fact" "$said/seen" || fail "$fact is not in $(<"$said/seen")"
done
[[ $(head -n 1 "$calls") == "cni-sriov-rdma ADD netns=/proc/"*"/ns/net "* ]]
called '^cni-sriov-rdma DEL netns= '
rm -rf /var/lib/cni/results # of go-cni
expect_same "$before" "$(snapshot)"

command='sleep 600'
run second -d
[[ -z $(vf_dev "$vf") ]]
ctr task kill -s 9 second
wait_for 20 ctr task delete second
ctr container delete second
[[ $(tail -n 1 "$calls") == *" ADD "* ]] # no DEL came
command='echo rdma $(ls /sys/class/infiniband)'
[[ $(run third --rm) == "rdma mlx5_0" ]]
rm -rf /var/lib/cni/results
expect_same "$before" "$(snapshot)"
