# SPDX-License-Identifier: Apache-2.0
# Proves that containers which Podman runs on a CNI network have its VFs and their RDMA devices, as its options ask, and
# can use them; and that an end of whatever kind, also one that conmon is not there to see, gives all back.
[[ -x $PODMAN/usr/bin/podman ]] || skip "no Podman with a CNI backend is below $PODMAN"
. "$REPO/tests/lab/guest/runtime.sh"
PATH=$PODMAN/usr/bin:$CONTAINERD/usr/sbin:$PATH
libraries=$(printf '%s:' "$PODMAN"/{usr/,}lib/*-linux-gnu)
export LD_LIBRARY_PATH=$libraries CONTAINERS_CONF=$said/containers.conf CONTAINERS_STORAGE_CONF=$said/storage.conf
cat >"$CONTAINERS_CONF" <<END
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "none"
conmon_path = ["$PODMAN/usr/bin/conmon"]
conmon_env_vars = ["PATH=$PATH", "LD_LIBRARY_PATH=$libraries"]
tmp_dir = "$said/tmp"
[engine.runtimes]
runc = ["$CONTAINERD/usr/sbin/runc"]
[network]
network_backend = "cni"
network_config_dir = "$said/net.d"
cni_plugin_dirs = ["$said/plugins"]
[containers]
log_driver = "k8s-file"
END
printf '[storage]\ndriver = "vfs"\ngraphroot = "%s"\nrunroot = "%s"\n' "$said/graph" "$said/run" >"$CONTAINERS_STORAGE_CONF"
undo() {
	podman rm -f -a -t 0 >/dev/null || true
	cgroups_umount || true
	rm -rf "$said"
}
trap undo EXIT
container_root
cgroups_mount
logged_plugins "$said/plugins"

network() { # NAME VERSION BDF [JSON]
	jq --arg name "$1" --arg version "$2" '{cniVersion: $version, name: $name, plugins: [del(.cniVersion, .name)]}' \
		"$(conf "${@:3}")" >"$said/net.d/$1.conflist"
}
run() { podman run "${@:2}" --rootfs "$root" sh -c "$1"; }                             # COMMAND OPTION…
netns_of() { basename "$(podman inspect -f '{{.NetworkSettings.SandboxKey}}' "$1")"; } # CONTAINER
as_before() { [[ $(snapshot) == "$before" ]]; }
has() { # IFNAME JQ: in the network namespace of `two`
	in_pod "$netns" ip -j addr show "$1" | jq -e ".[0] | $2" >/dev/null || fail "$1: not $2: $(in_pod "$netns" ip addr)"
}

mkdir "$said/net.d"
cp "$CONF/podman.conflist" "$said/net.d/"
network dual 1.0.0 "$(vf_bdf 0 1)" '{"ipam": {"subnet": null, "ranges": [[{"subnet": "10.0.7.0/24"}], [{"subnet": "fd00:7::/64"}]]}}'
network new 1.1.0 "$(vf_bdf 0 2)"
before=$(snapshot)

echo "the networks are Podman's"
[[ $(podman info -f '{{.Host.NetworkBackend}} {{.Version.Version}}') == "cni 4."* ]]
[[ $(podman network ls -f driver=cni-sriov-rdma -f name=fabric --format '{{.Name}}') == fabric ]]
podman network inspect dual | jq -e '.[0].name == "dual"' >/dev/null

echo "what is in a container"
# shellcheck disable=SC2016 # for the shell in the container
run 'ip -o addr show eth0; echo mtu $(cat /sys/class/net/eth0/mtu); echo rdma $(ls /sys/class/infiniband)' \
	--rm --name one --network fabric >"$said/seen"
for fact in 'inet 10.0.100.' '^mtu 4500$' '^rdma mlx5_0$'; do
	grep -q "$fact" "$said/seen" || fail "$fact is not in $(<"$said/seen")"
done
called '^cni-sriov-rdma ADD netns=/run/netns/netns-[^ ]* ifname=eth0 args=IgnoreUnknown=1;K8S_POD_NAME=one runtimeConfig=$'
called '^cni-sriov-rdma DEL netns=/run/netns/netns-'
expect_same "$before" "$(snapshot)"

echo "its application can use the RDMA device"
ln -s usr/lib usr/lib64 "$root/"
cp -r /etc/libibverbs.d "$root/etc/"
run '/build/cni-sriov-rdma/cni-sriov-rdma-doctor --interface eth0' --rm \
	--network fabric --ip 10.0.100.78 --mac-address 02:00:00:00:00:bb --device /dev/infiniband --ulimit memlock=-1 \
	--volume /usr:/usr:ro --volume "$BUILD:/build:ro" >"$said/seen" || fail "$(<"$said/seen")"
grep -q ' 0 failed' "$said/seen"
called 'ADD .*;MAC=02:00:00:00:00:bb;IP=10.0.100.78 '
expect_same "$before" "$(snapshot)"

echo "two networks, with what is asked of each"
run 'sleep 600' -d --name two --network fabric:mac=02:00:00:00:00:aa,ip=10.0.100.77,interface_name=rail0 \
	--network dual:ip=10.0.7.9,ip6=fd00:7::9 >/dev/null
called 'ADD .* ifname=rail0 args=.*K8S_POD_NAME=two;MAC=02:00:00:00:00:aa;IP=10.0.100.77 '
called 'ADD .*runtimeConfig=.*"ips":\["10.0.7.9","fd00:7::9"\]'
attached() {
	netns=$(netns_of two)
	has rail0 '.address == "02:00:00:00:00:aa" and [.addr_info[] | select(.scope == "global") | .local] == ["10.0.100.77"]'
	has eth0 '[.addr_info[] | select(.scope == "global") | .local] == ["10.0.7.9", "fd00:7::9"]'
	[[ $(pod_rdma "$netns") == mlx5_0$'\n'mlx5_1 ]]
}
attached
podman inspect two | jq -e '.[0].NetworkSettings.Networks | (.fabric | .IPAddress == "10.0.100.77" and .MacAddress == "02:00:00:00:00:aa")
	and (.dual | .IPAddress == "10.0.7.9" and .GlobalIPv6Address == "fd00:7::9")' >/dev/null
"$BUILD/cni-sriov-rdma/cni-sriov-rdma" list --json | jq -e 'length == 2 and all(.[]; .pod == "two")' >/dev/null

echo "another container does not get the VF of one that runs"
fails run true --rm --name three --network fabric 2>"$said/stderr"
grep -q 'two' "$said/stderr" || fail "$(<"$said/stderr")"
attached

echo "a running container leaves a network, and comes back"
podman network disconnect dual two
[[ $(pod_rdma "$netns") == mlx5_0 && -n $(vf_dev "$(vf_bdf 0 1)") ]]
podman network connect --ip 10.0.7.9 --ip6 fd00:7::9 dual two
attached
podman network reload two >/dev/null # which asks for each address twice
called 'ADD .*"ips":\["10.0.100.77","10.0.100.77"\]'
attached

echo "it is killed, and started again; then conmon is killed"
podman kill two >/dev/null
wait_for 20 as_before
podman start two >/dev/null
attached
conmon=$(podman inspect -f '{{.State.ConmonPid}}' two)
kill -9 "$conmon"
attached
podman rm -f -t 0 two >/dev/null
expect_same "$before" "$(snapshot)"

echo "a version which this Podman does not know: it says so, and has the VF given back"
fails run true --rm --network new 2>"$said/stderr"
grep -q 'unsupported CNI result version "1.1.0"' "$said/stderr" || fail "$(<"$said/stderr")"
expect_same "$before" "$(snapshot)"
