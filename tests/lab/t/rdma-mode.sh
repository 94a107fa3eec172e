# SPDX-License-Identifier: Apache-2.0
# Proves what each RDMA namespace mode means: exclusive cannot be had once a pod exists, and ADD says why and how; in shared
# mode the device stays and is found; keep takes what there is; the kernel's own rxe, which cannot move, is told.
before=$(snapshot)
vf=$(vf_bdf 0 0)
attach="$BUILD/cni-sriov-rdma/cni-sriov-rdma"
mode() { ok "$attach" rdma-mode "$1"; }

pod_add one # in shared mode, with a pod: the pod's own namespace already forbids the switch
pod_gone one
mode shared
pod_add one
shared=$(snapshot)
fails plugin ADD "$(conf "$vf")" one net1
expect_error 100 'RDMA netns mode is shared; switch it to exclusive: Device or resource busy'
expect_error 100 'options ib_core netns_mode=0.*reboot'
expect_same "$shared" "$(snapshot)"
fails "$attach" rdma-mode exclusive 2>"$said/stderr"

for netns_mode in shared keep; do
	c=$(conf "$vf" "{\"rdma\": {\"netnsMode\": \"$netns_mode\", \"required\": true, \"check\": \"verbs\"}}")
	ok plugin ADD "$c" one net1
	prints 'mlx5_0/1 state ACTIVE' rdma link                    # on the host,
	prints 'mlx5_0/1 state ACTIVE' in_pod one rdma link # and in every pod
	jq -e '.rdma[0] | .device == "mlx5_0" and .gids[0].index >= 0' "/var/lib/cni/cni-sriov-rdma/attachments/$vf.json"
	ok plugin CHECK "$c" one net1
	ok plugin DEL "$c" one net1
	expect_same "$shared" "$(snapshot)"
done
CID="" NETNS="" fails plugin STATUS "$(conf "$vf")" "" ""
expect_error 50 'the RDMA subsystem is in shared mode, and the configuration wants exclusive'
pod_gone one

mode exclusive # ADD itself can only try; before the first pod it works
pod_add one
fails plugin ADD "$(conf "$vf" '{"rdma": {"netnsMode": "shared"}}')" one net1
expect_error 100 'RDMA netns mode is exclusive; switch it to shared'
c=$(conf "$vf" '{"rdma": {"netnsMode": "keep"}}')
ok plugin ADD "$c" one net1
[[ $(in_pod one rdma -j dev | jq -r '.[].ifname') == mlx5_0 ]]
fails prints mlx5_0: rdma dev
ok plugin DEL "$c" one net1
pod_del one
expect_same "$before" "$(snapshot)"

rdma_setup stock
pod_add one
stock=$(snapshot)
# the kernel's rxe has no PCI parent: the VF has no RDMA device, and is attached as an ordinary one
ok plugin ADD "$(conf "$vf")" one net1
ok plugin DEL "$(conf "$vf")" one net1
# (and the kernel's rxe deletes a device whose interface leaves its namespace: rxe_net.c, NETDEV_UNREGISTER)
expect_same "$(grep -v mlx5_0 <<<"$stock")" "$(snapshot | grep -v mlx5_0)"
fails plugin ADD "$(conf "$vf" '{"rdma": {"required": true}}')" one net1
expect_error 7 'rdma.required: the VF has no RDMA device'
pod_del one
rdma_setup
expect_same "$before" "$(snapshot)"
