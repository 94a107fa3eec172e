# SPDX-License-Identifier: Apache-2.0
# Proves that the real Multus gives pods a default network and two or eight SR-IOV networks, with what an annotation
# requests, and that its DEL gives all back: after an ADD, after one that failed, with the configuration that it has lost.
modprobe veth # the kernel does not find modprobe here
before=$(snapshot)
dir=$said/multus api=$said/api port=8001
pods=$api/api/v1/namespaces/default/pods nads=$api/apis/k8s.cni.cncf.io/v1/namespaces/default/network-attachment-definitions
mkdir -p "$dir" "$pods" "$nads" /var/lib/kubelet/device-plugins /run/k8s.cni.cncf.io/devinfo/dp
ln -s "$MULTUS" "$dir/multus"
for name in sriov rdma; do ln -s "$BUILD/cni-sriov-rdma/cni-sriov-rdma" "$dir/$name"; done
CNI_PATH=$dir:$CNI_PATH
python3 "$REPO/tests/lab/guest/kube-api" "$api" $port >"$said/api.log" 2>&1 &
server=$!
trap 'stop $server; rm -rf "$said" /var/lib/kubelet /run/k8s.cni.cncf.io' EXIT
printf '%s\n' 'apiVersion: v1' 'kind: Config' 'current-context: lab' 'contexts: [{name: lab, context: {cluster: lab}}]' \
	"clusters: [{name: lab, cluster: {server: \"http://127.0.0.1:$port\"}}]" >"$said/kubeconfig"

wait_for 30 grep -q ready "$said/api.log"

# multus VERB POD [JSON]: cnitool calls it as a kubelet's runtime does, for eth0; JSON is merged into its configuration
multus() {
	jq -n --arg dir "$dir" --arg said "$said" --argjson more "${3:-{\}}" '{cniVersion: "1.0.0", name: "node-net", type: "multus",
		binDir: $dir, cniDir: "/var/lib/cni/multus", logFile: "\($said)/multus.log", logLevel: "verbose", logToStderr: false,
		kubeconfig: "\($said)/kubeconfig", delegates: [{cniVersion: "1.0.0", name: "default-net", type: "ptp",
			ipam: {type: "host-local", dataDir: "\($said)/host-local", subnet: "10.244.0.0/24"}}]} * $more | del(..|nulls)' \
		>"$said/multus.conf"
	CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=$2;K8S_POD_INFRA_CONTAINER_ID=c-$2;K8S_POD_UID=uid-$2" \
		cni "$1" "$said/multus.conf" "$2" eth0
}

nad() { # NAME CONFIG-JSON
	jq -n --arg name "$1" --arg config "$2" '{kind: "NetworkAttachmentDefinition", apiVersion: "k8s.cni.cncf.io/v1",
		metadata: {name: $name, namespace: "default", annotations: {"k8s.v1.cni.cncf.io/resourceName": "example.com/vf"}},
		spec: {config: $config}}' >"$nads/$1.json"
}
# pod NAME NETWORKS-JSON VF…: what the API server and the kubelet's device manager know of it
pod() {
	jq -n --arg name "$1" --arg networks "$2" '{kind: "Pod", apiVersion: "v1", metadata: {name: $name, namespace: "default",
		uid: "uid-\($name)", annotations: {"k8s.v1.cni.cncf.io/networks": $networks}}, spec: {containers: [{name: "c", image: "i"}]}}' \
		>"$pods/$1.json"
	jq -n --arg uid "uid-$1" '{Data: {PodDeviceEntries: [{PodUID: $uid, ContainerName: "c", ResourceName: "example.com/vf",
		DeviceIDs: {"0": $ARGS.positional}}]}, Checksum: 0}' --args "${@:3}" >/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint
}
in_pod_is() { in_pod "$1" ip -j addr show "$2" | jq -e ".[0] | $3" >/dev/null || fail "$2 is not $3"; } # POD IFNAME JQ

own='"type": "cni-sriov-rdma", "vlan": 100, "capabilities": {"mac": true, "ips": true, "deviceID": true, "CNIDeviceInfoFile": true},
	"ipam": {"type": "cni-ipam", "subnet": "10.0.100.0/24"}'
operator='{"cniVersion":"1.0.0","name":"op-net","plugins":[{"type":"sriov","vlan":0,"spoofchk":"on","trust":"on","vlanQoS":0,"capabilities":{"mac":true,"ips":true},"logLevel":"info","ipam":{"type":"cni-ipam","subnet":"10.0.7.0/24"}}'
nad fabric "{\"cniVersion\": \"1.0.0\", \"name\": \"fabric\", $own}"
nad tuned "{\"cniVersion\": \"1.0.0\", \"name\": \"tuned\", \"plugins\": [{$own}, {\"type\": \"tuning\", \"sysctl\": {\"net.ipv4.conf.IFNAME.arp_filter\": \"1\"}}]}"
nad op "$operator]}"
nad op-rdma "$operator,{\"type\":\"rdma\"}]}"
nad lossy "{\"name\": \"lossy\", \"plugins\": [{$own}]}"
pod_add one
idle=$(snapshot)

echo "without an API server: delegates in the file, as a configuration and as a list"
delegates=$(jq -n --arg a "$(vf_bdf 0 0)" --arg b "$(vf_bdf 0 1)" "{kubeconfig: null, delegates: [{cniVersion: \"1.0.0\",
	name: \"default-net\", type: \"ptp\", ipam: {type: \"host-local\", dataDir: \"$said/host-local\", subnet: \"10.244.0.0/24\"}},
	{cniVersion: \"1.0.0\", name: \"first\", deviceID: \$a, $own}, {cniVersion: \"1.0.0\", name: \"second\", plugins: [{deviceID: \$b, $own}]}]}")
multus add one "$delegates"
expect_result '.interfaces | any(.name == "eth0")'
for dev in eth0 net1 net2; do in_pod_is one $dev '.addr_info | any(.family == "inet")'; done
[[ $(pod_rdma one) == mlx5_0$'\n'mlx5_1 ]]
multus check one "$delegates"
multus del one "$delegates"
expect_same "$idle" "$(snapshot)"

echo "eight networks"
rdma link delete mlx5_6 # which cannot move
mapfile -t vfs < <(for n in 0 1 2 3; do vf_bdf 0 $n; done; for n in 0 1 2 3; do vf_bdf 1 $n; done)
pod one '[{"name": "fabric", "mac": "02:00:00:00:0a:01", "ips": ["10.0.100.77/24"]}, {"name": "fabric"}, {"name": "tuned"},
	{"name": "op"}, {"name": "op-rdma", "mac": "02:00:00:00:0a:05", "ips": ["10.0.7.77/24"]}, {"name": "tuned"},
	{"name": "fabric", "interface": "rail7"}, {"name": "fabric"}]' "${vfs[@]}"
# what the device plugin has told of the first: the RDMA device's name is out of date
printf '{"type": "pci", "version": "1.1.0", "pci": {"pci-address": "%s", "rdma-device": "stale_0"}}' "${vfs[0]}" \
	>"/run/k8s.cni.cncf.io/devinfo/dp/example.com-vf-${vfs[0]}-device.json"
eight=$(snapshot)
multus add one
for dev in eth0 net1 net2 net3 net4 net5 net6 rail7 net8; do in_pod_is one $dev '.addr_info | any(.family == "inet")'; done
in_pod_is one net1 '.address == "02:00:00:00:0a:01" and (.addr_info | any(.local == "10.0.100.77"))'
in_pod_is one net5 '.address == "02:00:00:00:0a:05" and (.addr_info | any(.local == "10.0.7.77"))'
[[ $(in_pod one cat /proc/sys/net/ipv4/conf/net3/arp_filter) == 1 ]]
[[ $(pod_rdma one | tr '\n' ' ') == "mlx5_0 mlx5_1 mlx5_2 mlx5_3 mlx5_4 mlx5_5 " ]]
# shellcheck disable=SC2016 # jq's
jq -e 'length == 9 and (map(select(.name == "default/fabric")) | length == 4) and
	(.[1] | .interface == "net1" and .mac == "02:00:00:00:0a:01" and .ips == ["10.0.100.77"] and
		."device-info".pci == {"pci-address": $vf, "rdma-device": "mlx5_0", "pf-pci-address": $pf})' \
	--arg vf "${vfs[0]}" --arg pf "${PFS[0]}" "$api/network-status" >/dev/null || fail "$(<"$api/network-status")"
multus check one
multus del one
[[ -z $(ls /run/k8s.cni.cncf.io/devinfo/cni) ]]
expect_same "$eight" "$(snapshot)"
rdma_add "${vfs[6]}" mlx5_6 fixed
expect_same "$idle" "$(snapshot)"

echo "the second of two networks fails: Multus undoes both, and so does the runtime's DEL"
pod one '[{"name": "fabric"}, {"name": "fabric"}]' "${vfs[0]}" "${vfs[6]}"
fails multus add one 2>/dev/null
grep -q 'network "fabric".*mlx5_6' "$said/stderr" || fail "$(<"$said/stderr")"
multus del one
expect_same "$idle" "$(snapshot)"

echo "a list without cniVersion: DEL comes without the keys that libcni does not know; and the namespace is gone"
pod one '[{"name": "lossy"}, {"name": "op-rdma"}]' "${vfs[0]}" "${vfs[1]}"
multus add one
[[ $(pod_rdma one) == mlx5_0$'\n'mlx5_1 ]]
pod_del one
multus del one
expect_same "$before" "$(snapshot)"
