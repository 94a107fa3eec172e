# SPDX-License-Identifier: Apache-2.0
# Proves conf-examples/kubernetes: what sriov-network-operator makes of the objects is what stands beside them, and it
# attaches as it is, by the names in it; the pods of the other files get all of their networks, one and eight rails,
# and each gives everything back.
. "$REPO/tests/lab/guest/infiniband.sh"
examples=$CONF/kubernetes
before=$(snapshot)
mkdir "$said/names"
for name in sriov ib-sriov rdma; do ln -s "$BUILD/cni-sriov-rdma/cni-sriov-rdma" "$said/names/$name"; done
CNI_PATH=$said/names:$CNI_PATH
manifests() { /usr/bin/python3 -B "$REPO/tests/lab/guest/manifests.py" "$@"; }
for file in "$examples"/*; do # nothing that is not run below
	case $file in
	*/sriov-*network*.yaml | */rails.yaml | */vllm.yaml | */dra-claim.yaml) ;;
	*) fail "nothing here runs $file" ;;
	esac
done

manifests readme "$REPO/README.md" "$examples/sriov-network.rendered.yaml"

# Multus puts the device into each plugin.
with_device() { # BDF <CONFIG
	jq -c --arg vf "$1" 'if .plugins then .plugins[] += {deviceID: $vf, pciBusID: $vf} else . + {deviceID: $vf} end'
}
attach_rendered() { # NAME BDF
	local conf=$said/$1.conf idle
	! grep -q plugins "$examples/$1.rendered.yaml" || conf+=list
	diff <(manifests render "$examples/$1.yaml" | tail -n +2) <(grep -v '^#' "$examples/$1.rendered.yaml")
	sed -n "s/^  config: '\(.*\)'$/\1/p" "$examples/$1.rendered.yaml" | with_device "$2" >"$conf"
	pod_add one
	idle=$(snapshot)
	ok cni add "$conf" one net1
	expect_result '.interfaces[0].name == "net1"'
	[[ -n $(pod_rdma one) ]]
	ok cni check "$conf" one net1
	ok cni del "$conf" one net1
	expect_same "$idle" "$(snapshot)"
	pod_del one
}
attach_rendered sriov-network "$(vf_bdf 0 0)"
attach_rendered sriov-network-plain "$(vf_bdf 0 0)"

# eight VFs, of which each but the last has an RDMA device that moves
rdma link delete mlx5_6
rdma_add "$(vf_bdf 1 2)" mlx5_6 vfib
mapfile -t vfs < <(for n in 0 1 2 3; do vf_bdf 0 $n; done && for n in 0 1 2 3; do vf_bdf 1 $n; done)
idle=$(snapshot)
declare -A used=() # VFs that a pod has got
conf_of() { echo "$said/$1-$2.conf"; }
in_force() { # POD IFNAME: what its configuration asks for besides
	local what key value
	while read -r what key value; do
		case $what in
		mtu) [[ $(in_pod "$1" ip -j link show "$2" | jq '.[0].mtu') == "$key" ]] ;;
		routing) [[ -n $(in_pod "$1" ip -4 rule show from "$(pod_ip "$1" "$2")") ]] ;;
		sysctl) [[ $(in_pod "$1" sysctl -n "${key//IFNAME/$2}") == "$value" ]] ;;
		esac || fail "$1 $2: $what $key is not as configured"
	done < <(jq -r '(.plugins[0] // .) | (.mtu // empty | "mtu \(.)"), (if .sourceRouting then "routing" else empty end),
		(.sysctl // {} | to_entries[] | "sysctl \(.key) \(.value)")' "$(conf_of "$1" "$2")")
}
manifests networks "$examples"/{rails,vllm,dra-claim}.yaml >"$said/networks"
(($(wc -l <"$said/networks") == 12))
for pod in $(jq -r .pod "$said/networks" | uniq); do
	pod_add "$pod"
	names=$(jq -r --arg pod "$pod" 'select(.pod == $pod) | .ifname' "$said/networks")
	for ifname in $names; do
		jq -c --arg pod "$pod" --arg ifname "$ifname" 'select(.pod == $pod and .ifname == $ifname) | .config' "$said/networks" |
			with_device "${vfs[${used[$pod]:-0}]}" >"$(conf_of "$pod" "$ifname")"
		ok cni add "$(conf_of "$pod" "$ifname")" "$pod" "$ifname"
		expect_result ".ips | length == 1"
		used[$pod]=$((${used[$pod]:-0} + 1))
	done
	devices=$(pod_rdma "$pod" | wc -l)
	((devices == used[$pod] || devices == 7)) || fail "$pod: $devices RDMA devices for ${used[$pod]} VFs"
	ok cni check "$(conf_of "$pod" "$ifname")" "$pod" "$ifname" # the last one
	in_force "$pod" "$ifname"
	for ifname in $names; do ok cni del "$(conf_of "$pod" "$ifname")" "$pod" "$ifname"; done
	pod_del "$pod"
	expect_same "$idle" "$(snapshot)"
done
rdma link delete mlx5_6
rdma_add "$(vf_bdf 1 2)" mlx5_6 fixed

ib_setup
attach_rendered sriov-ib-network "${IB_VFS[0]}"
ib_teardown
expect_same "$before" "$(snapshot)"
