# SPDX-License-Identifier: Apache-2.0
# Each of conf-examples that is about a VF attaches a pod as it stands, and gives everything back.
vf=$(vf_bdf 0 0)
before=$(snapshot)
pod_add pod
export CNI_ARGS="IgnoreUnknown=1;K8S_POD_UID=0b7c" # as kubelet has it; without a volume of that pod nothing is written

attach_and_detach() { # CONF [BDF]
	echo "$1"
	cni add "$1" pod net1 "${@:2}"
	expect_result '.ips | length > 0'
	[[ $(pod_rdma pod) == mlx5_0 ]]
	cni check "$1" pod net1 "${@:2}"
	cni del "$1" pod net1 "${@:2}"
	expect_same "$attached_none" "$(snapshot)"
}

# The configuration of a NetworkAttachmentDefinition is the block below `config: |`. Multus adds the device it has been
# told to the configuration itself.
nad_config() { sed -n '/^  config: |/,$ {s/^    //p}' "$1" | jq --arg vf "$vf" '. + {deviceID: $vf}'; }

attached_none=$(snapshot)
for conf in "$CONF"/*; do
	case $conf in
	*/infiniband.conflist) ;; # is run by infiniband.sh
	*.conflist | *.conf) attach_and_detach "$conf" "$vf" ;;
	*.yaml)
		nad_config "$conf" >"$said/nad.conf"
		attach_and_detach "$said/nad.conf"
		;;
	*/kubernetes) ;; # is run by conf-kubernetes.sh
	*/ipam-*.json | */pools) ;; # are run by tests/netns/ipam-examples.sh
	*) fail "nothing here runs $conf" ;;
	esac
done
pod_del pod
expect_same "$before" "$(snapshot)"
