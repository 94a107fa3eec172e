# SPDX-License-Identifier: Apache-2.0
# Proves that a pod's workload finds one right nccl.conf and rdma.json in its volume, whatever attachments come and go, in
# what order and at once; that they go with the last one, however that goes; and that a pod cannot use them against the node.
before=$(snapshot)
vf1=$(vf_bdf 0 1) vf2=$(vf_bdf 1 0)
uid=3f1c2a44-9d7e-4c39-8a30-0a1b2c3d4e5f
export CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=train;K8S_POD_NAME=trainer-0;K8S_POD_UID=$uid"
pods=$said/kubelet/pods
volume=$pods/$uid/volumes/kubernetes.io~empty-dir/rdma
mkdir -p "$volume"
kubelets="{\"rdma\": {\"workloadDir\": \"$pods/{podUID}/volumes/kubernetes.io~empty-dir/rdma\"}}"
one=$(conf "$vf1" "$kubelets") two=$(conf "$vf2" "$kubelets")
pod_add one

nccl() { grep -v '^#' "$volume/nccl.conf"; }
both=$'NCCL_IB_HCA==mlx5_1:1,mlx5_4:1\nNCCL_SOCKET_IFNAME==net2,net10'
no_files() { [[ -d $volume && -z $(ls -A "$volume") ]]; }
expect_files() { [[ $(nccl) == "$1" ]] || fail "nccl.conf is $(nccl)"; }

(umask 077 && ok plugin ADD "$two" one net10)
expect_files $'NCCL_IB_HCA==mlx5_4:1\nNCCL_SOCKET_IFNAME==net10'
ok plugin ADD "$one" one net2
expect_files "$both"
[[ $(stat -c %a "$volume"/* | xargs) == "644 644" ]]
jq -e --arg vf "$vf1" --arg ip "$(pod_ip one net2)/24" '.version == 1 and (.attachments | map(.interface) == ["net2", "net10"]) and
	(.attachments[0] | .network == "fabric" and .pciAddress == $vf and .mtu == 4500 and .addresses == [$ip] and
		(.devices[0] | .device == "mlx5_1" and .port == 1 and .uverbs == 1 and .state == "ACTIVE" and .activeMtu == 4096 and
			.gids[0].type == "RoCE v2"))' "$volume/rdma.json"
index=$(jq '.attachments[0].devices[0].gids[0].index' "$volume/rdma.json")
[[ $index == "$(rdma_gid one mlx5_1)" ]]
ok plugin DEL "$one" one net2
expect_files $'NCCL_IB_HCA==mlx5_4:1\nNCCL_SOCKET_IFNAME==net10'

# a failed ADD leaves the others' part, and nothing of its own
failing=$(conf "$vf1" "$(jq '.sysctl = {"net.ipv4.conf.IFNAME.arp_ignore": "many"}' <<<"$kubelets")")
fails plugin ADD "$failing" one net2
expect_files $'NCCL_IB_HCA==mlx5_4:1\nNCCL_SOCKET_IFNAME==net10'
ok plugin DEL "$two" one net10
no_files

# at once
apart() { # COMMAND…: what it says does not get in the way of another's
	local said
	said=$(mktemp -d)
	"$@"
	rm -r "$said"
}
at_once() { # VERB
	local pids=() pid
	apart ok plugin "$1" "$one" one net2 & pids+=($!)
	apart ok plugin "$1" "$two" one net10 & pids+=($!)
	for pid in "${pids[@]}"; do wait "$pid"; done
}
at_once ADD
expect_files "$both"
at_once DEL
no_files

# the namespace dies, and repair comes before DEL, or there is none
ok plugin ADD "$one" one net2
ok plugin ADD "$two" one net10
pod_del one
"$BUILD/cni-sriov-rdma/cni-sriov-rdma" repair "$vf1"
expect_files $'NCCL_IB_HCA==mlx5_4:1\nNCCL_SOCKET_IFNAME==net10'
NETNS="" ok plugin DEL "$two" one net10
no_files
pod_add one

# a sandbox that is made anew before the old one is taken down
ok plugin ADD "$one" one net2
pod_add anew
ok plugin ADD "$two" anew net10
expect_files $'NCCL_IB_HCA==mlx5_4:1\nNCCL_SOCKET_IFNAME==net10'
ok plugin DEL "$one" one net2
expect_files $'NCCL_IB_HCA==mlx5_4:1\nNCCL_SOCKET_IFNAME==net10'
ok plugin DEL "$two" anew net10
no_files
pod_del anew

# only IPv6: NCCL does not find that GID itself
six=$(conf "$vf1" "$(jq '.ipam = {subnet: "fd00:100::/64"}' <<<"$kubelets")")
ok plugin ADD "$six" one net2
expect_files $'NCCL_IB_HCA==mlx5_1:1\nNCCL_SOCKET_IFNAME==net2\nNCCL_IB_GID_INDEX='"$(jq '.attachments[].devices[].gids[].index' "$volume/rdma.json")"
ok plugin DEL "$six" one net2

# what the pod may have done there: links, directories, a directory that is a link to the node's
treasure=$said/treasure
echo gold >"$treasure"
ok plugin ADD "$two" one net10
rm "$volume"/*
ln -s "$treasure" "$volume/nccl.conf"
ln -s "$treasure" "$volume/nccl.conf.tmp"
mkfifo "$volume/rdma.json"
ok plugin ADD "$one" one net2
expect_files "$both"
[[ $(<"$treasure") == gold && ! -L $volume/nccl.conf && -f $volume/rdma.json ]]
rm "$volume"/*
mkdir -p "$volume"/{nccl.conf,rdma.json}/deep
ok plugin DEL "$one" one net2
grep -q 'warning: .*it is not taken out of the workload' "$said/stderr"
ok plugin DEL "$two" one net10
fails plugin ADD "$one" one net2
expect_error 5 "write nccl.conf and rdma.json in $pods/$uid/.*(directory|exists)"
rm -r "$volume"
mkdir "$said/elsewhere"
ln -s "$said/elsewhere" "$volume"
fails plugin ADD "$one" one net2
expect_error 5 "write nccl.conf and rdma.json in $pods/$uid/"
[[ -z $(ls -A "$said/elsewhere") ]]
rm "$volume"
CNI_ARGS="K8S_POD_UID=../$uid" fails plugin ADD "$one" one net2
expect_error 4 'rdma.workloadDir: \{podUID\}: "\.\./.*" is no name'

# a pod without that volume
ok plugin ADD "$one" one net2
[[ ! -e $volume ]]
ok plugin DEL "$one" one net2

# a directory of the node's, which is made, and goes with the last
volume=$said/run/train/trainer-0
plain=$(conf "$vf1" "{\"rdma\": {\"workloadDir\": \"$said/run/{podNamespace}/{podName}\"}}")
ok plugin ADD "$plain" one net2
expect_files $'NCCL_IB_HCA==mlx5_1:1\nNCCL_SOCKET_IFNAME==net2'
ok plugin DEL "$plain" one net2
[[ -z $(ls -A "$said/run") ]]
pod_del one
expect_same "$before" "$(snapshot)"
