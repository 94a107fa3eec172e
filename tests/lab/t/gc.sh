# SPDX-License-Identifier: Apache-2.0
# Proves GC in every form it arrives in: it undoes what is not listed, of this network only, and nothing when no list is
# there; STATUS tells whether an ADD could be served.
before=$(snapshot)
a=$(vf_bdf 0 0) b=$(vf_bdf 0 1) c=$(vf_bdf 0 2)
pod_add one two three
attach() { ok plugin ADD "$(conf "$1" "${3:-}")" "$2" net1; }
attach "$a" one
attach "$b" two
attach "$c" three '{"name": "other"}'
attached() { "$BUILD/cni-sriov-rdma/cni-sriov-rdma" list --json | jq -r '[.[].pod] | join(" ")'; }
gc() { CID="" NETNS="" ok plugin GC "$(conf "" "$(jq '. + {deviceID: null}' <<<"$1")")" "" ""; }

gc '{}'
gc '{"cni.dev/valid-attachments": null}'
[[ $(attached) == "cid-one cid-two cid-three" ]]
gc '{"cni.dev/valid-attachments": [{"containerID": "cid-one", "ifname": "net1"}, {"containerID": "cid-two", "ifname": "net1"}]}'
[[ $(attached) == "cid-one cid-two cid-three" ]]
gc '{"cni.dev/attachments": [{"containerID": "cid-one", "ifname": "net1"}, {"containerID": "cid-two", "ifname": "net2"}]}'
[[ $(attached) == "cid-one cid-three" ]]
gc '{"cni.dev/valid-attachments": []}'
[[ $(attached) == "cid-three" ]]

status() { CID="" NETNS="" plugin STATUS "$(conf "" "$(jq '. + {deviceID: null}' <<<"$1")")" "" ""; }
ok status '{}'
[[ ! -s $said/stdout ]]
fails status '{"rdma": {"netnsMode": "shared"}}'
expect_error 50 'rdma.netnsMode: the RDMA subsystem is in exclusive mode'
fails status '{"dataDir": "/proc/nowhere"}'
expect_error 50 'state directory /proc/nowhere'

ok plugin DEL "$(conf "$c" '{"name": "other"}')" three net1
pod_del one two three
expect_same "$before" "$(snapshot)"

# cnitool: libcni itself sends DEL for what its cache knows; without that, its GC lists nothing, and nothing is released
pod_add one
ok cni add two-pods.conflist one net1 "$a"
ok cni status two-pods.conflist one net1
ok cni gc two-pods.conflist one net1
[[ -z $(attached) ]]
ok cni add two-pods.conflist one net1 "$a"
rm -rf /var/lib/cni/results
ok cni gc two-pods.conflist one net1
[[ $(attached) == cnitool-* ]]
ok cni del two-pods.conflist one net1 "$a"
pod_del one
expect_same "$before" "$(snapshot)"
