# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The words of the lab's tests and of the demonstration. To be sourced by a script that runs as root, in the guest
# or (but for node_setup) on a machine that has a NIC with VFs. A VF is spoken of by its PCI address, a PF by its
# number in PFS, a pod by its name, which is that of a network namespace.
set -eEuo pipefail
trap 'echo "at ${BASH_SOURCE[0]##*/}:$LINENO: $BASH_COMMAND" >&2' ERR # the way to the command that failed

: "${REPO:=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)}" "${BUILD:=$REPO/build}" "${NODE:=}"
CNI_PATH=$BUILD/cni-sriov-rdma:$BUILD/cni-ipam:/usr/lib/cni
CONF=$REPO/conf-examples
said=$(mktemp -d) # what the last plugin or cnitool said: $said/{stdout,stderr,status}
trap 'rm -rf "$said"' EXIT

# jq 1.6 takes 0.2 s to start in an emulated guest, where a test starts it dozens of times; gojq takes a third.
if type -P gojq >/dev/null; then jq() { gojq "$@"; }; fi

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# skip REASON: a test that cannot be run here has neither passed nor failed. Before it has changed anything.
skip() {
	echo "SKIPPED: $*"
	exit 77 # as meson has it
}

# wait_for SECONDS COMMAND…: until the command succeeds.
wait_for() {
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		((SECONDS <= end)) || fail "still not: $*"
		sleep 0.05
	done
}

# fails COMMAND…: succeeds when the command fails.
fails() {
	if "$@"; then fail "succeeded, and should not: $*"; fi
}

# prints REGEX COMMAND…: it succeeds, and a line of what it prints matches. (In a pipe, grep -q ends before the command
# has said all, whose next line then kills it.)
prints() {
	local text
	text=$("${@:2}") && grep -qE -- "$1" <<<"$text"
}

# stop PID [SIGNAL]: a process of the background; returns when it has closed what it had open. (The PID of a function in
# the background is that of its subshell, whose end stops nothing.)
stop() {
	[[ $(readlink "/proc/$1/exe") != "$(readlink /proc/$$/exe)" ]] || fail "process $1 is a subshell"
	kill -"${2:-TERM}" "$1"
	wait "$1" 2>/dev/null || true
}

# --- the node ----------------------------------------------------------------------------------------------------------

find_pfs() {
	local path
	PFS=()
	for path in /sys/bus/pci/drivers/igb/0000:*; do
		[[ -e $path ]] && PFS+=("${path##*/}")
	done
}

pf_dev() { ls "/sys/bus/pci/devices/${PFS[$1]}/net"; }                              # PF
vf_bdf() { basename "$(readlink "/sys/bus/pci/devices/${PFS[$1]}/virtfn$2")"; }     # PF N
vf_dev() { ls "/sys/bus/pci/devices/$1/net" 2>/dev/null; }                          # BDF, of a VF in this namespace
vf_rdma() { ls "/sys/bus/pci/devices/$1/infiniband" 2>/dev/null; }                  # BDF, likewise
vf_pf() { basename "$(readlink "/sys/bus/pci/devices/$1/physfn")"; }                # BDF → PF's BDF

# vfs_create PF COUNT
vfs_create() {
	local n pf=/sys/bus/pci/devices/${PFS[$1]}
	echo 0 >"$pf/sriov_numvfs"
	echo "$2" >"$pf/sriov_numvfs"
	for ((n = 0; n < $2; n++)); do wait_for 10 vf_dev "$(vf_bdf "$1" "$n")"; done
}

# rdma_add BDF NAME [rxe|vfib|fixed]: as a NIC's driver would have made it. rxe carries data, vfib does not; fixed is a
# vfib that cannot change its namespace.
rdma_add() {
	local type=${3:-rxe}
	if [[ $type == fixed ]]; then
		type=vfib
		echo 0 >/sys/module/vfib/parameters/disassoc
	fi
	rdma link add "$2" type "$type" netdev "$(vf_dev "$1")"
	[[ ! -e /sys/module/vfib ]] || echo 1 >/sys/module/vfib/parameters/disassoc
}

# rdma_setup [stock]: the node's RDMA devices: mlx5_0…3 on PF 0's VFs; on PF 1's, mlx5_4 and mlx5_5 without a data
# path, mlx5_6 that cannot move, none on the last. With `stock`, the kernel's own rxe, which cannot move either.
rdma_setup() {
	local n
	for n in $(rdma -j dev | jq -r '.[].ifname'); do rdma link delete "$n"; done
	! grep -q ^rdma_rxe /proc/modules || rmmod rdma_rxe
	if [[ ${1:-} == stock ]]; then modprobe rdma_rxe; else insmod "$MODULES/rxe/rdma_rxe.ko"; fi
	for n in 0 1 2 3; do rdma_add "$(vf_bdf 0 $n)" mlx5_$n; done
	((${#PFS[@]} > 1)) || return 0
	rdma_add "$(vf_bdf 1 0)" mlx5_4 vfib
	rdma_add "$(vf_bdf 1 1)" mlx5_5 vfib
	rdma_add "$(vf_bdf 1 2)" mlx5_6 fixed
}

rdma_exclusive() { # possible only before the first namespace is there
	local plugin=$BUILD/cni-sriov-rdma/cni-sriov-rdma
	if [[ -x $plugin ]] && "$plugin" rdma-mode exclusive; then return; fi
	rdma system set netns exclusive
}

# node_setup: what a test finds: every PF up with four VFs, RDMA devices, exclusive mode.
node_setup() {
	local module pf
	for module in igb igbvf ib_core ib_uverbs rdma_ucm crc32_generic ip6_udp_tunnel udp_tunnel; do modprobe $module; done
	insmod "$MODULES/vfib/vfib.ko"
	find_pfs
	for pf in "${!PFS[@]}"; do
		ip link set "$(pf_dev "$pf")" mtu 9000 up
		vfs_create "$pf" 4
	done
	rdma_setup
	rdma_exclusive
}

# --- pods --------------------------------------------------------------------------------------------------------------

pod_add() { # NAME…
	local pod
	for pod; do
		ip netns add "$pod"
		ip -n "$pod" link set lo up
	done
}
pod_del() { # NAME…
	local pod
	for pod; do ip netns del "$pod"; done
}
# pod_gone NAME: wholly, too. ib_core ends a namespace before the core of networking does, and uses freed memory when the mode changes to
# exclusive meanwhile (Linux 6.12, rdma_compatdev_set).
pod_gone() {
	modprobe veth
	ip link add last type veth peer name last netns "$1"
	pod_del "$1"
	wait_for 10 test ! -e /sys/class/net/last
}
in_pod() { ip netns exec "$@"; } # NAME COMMAND…
pod_ip() { in_pod "$1" ip -4 -j addr show "${2:-net1}" | jq -r '.[0].addr_info[0].local'; } # NAME [IFNAME]
pod_rdma() { in_pod "$1" ls /sys/class/infiniband; } # NAME
pod_cid() { echo "cid-$1"; }     # the container id `plugin` uses

# barrier NAME: in a pair, until the other node is there too.
barrier() {
	[[ -n $NODE ]] || return 0
	touch "/out/at-$1-$NODE"
	wait_for 60 test -e "/out/at-$1-a" -a -e "/out/at-$1-b"
}

# ping_ok POD ADDRESS: also waits for the carrier and for duplicate address detection.
ping_ok() { wait_for 15 in_pod "$1" ping -c 1 -W 1 "$2"; }
ping_not() { fails in_pod "$1" ping -q -c 3 -i 0.2 -W 1 "$2" >/dev/null; }

# rping_ok POD SERVER-POD ADDRESS: RDMA connections and transfers by the connection manager.
rping_ok() {
	in_pod "$2" timeout 30 rping -s -C 3 &
	wait_for 10 rping_listens "$2"
	in_pod "$1" timeout 20 rping -c -a "$3" -C 3
	wait
}
rping_listens() { in_pod "$1" rdma -j resource show cm_id | jq -e 'any(.[]; .state == "LISTEN")'; }

# send_bw_ok POD DEVICE SERVER-POD DEVICE ADDRESS: ib_send_bw's own connection, by GIDs; prints its table.
send_bw_ok() {
	local gid
	gid=$(rdma_gid "$1" "$2")
	in_pod "$3" timeout 30 ib_send_bw -d "$4" -x "$(rdma_gid "$3" "$4")" -s 8192 -n 100 >/dev/null &
	wait_for 10 port_open "$3" 18515
	in_pod "$1" timeout 30 ib_send_bw -d "$2" -x "$gid" -s 8192 -n 100 "$5"
	wait
}
port_open() { [[ -n $(in_pod "$1" ss -Hltn "sport = :$2") ]]; }

# rdma_gid POD DEVICE: the index of the RoCE v2 GID that holds the pod's IPv4 address.
rdma_gid() {
	# shellcheck disable=SC2016 # for the shell in the pod
	in_pod "$1" sh -c 'grep -l ":ffff:" /sys/class/infiniband/$1/ports/1/gids/* 2>/dev/null | while read -r gid; do
		grep -q v2 "${gid%/gids/*}/gid_attrs/types/${gid##*/}" && echo "${gid##*/}" && break; done' - "$2"
}

# --- CNI ---------------------------------------------------------------------------------------------------------------

# plugin VERB CONF POD IFNAME: the binary by hand, with the environment a runtime gives it; CONF `-` is stdin.
# PLUGIN=cni-ipam for the other one; NETNS and CID override what follows from the pod.
plugin() {
	local name=${PLUGIN:-cni-sriov-rdma} status=0
	env CNI_COMMAND="$1" CNI_CONTAINERID="${CID-$(pod_cid "$3")}" CNI_NETNS="${NETNS-/run/netns/$3}" \
		CNI_IFNAME="$4" CNI_PATH="$CNI_PATH" ${CNI_ARGS+CNI_ARGS="$CNI_ARGS"} \
		"$BUILD/$name/$name" <"${2/#-//dev/stdin}" >"$said/stdout" 2>"$said/stderr" || status=$?
	echo $status >"$said/status"
	return $status
}

# cni VERB CONF POD IFNAME [BDF]: the real cnitool. The configuration is a file of conf-examples/ or a path; BDF is
# the device that a device plugin would have chosen.
cni() {
	local verb=$1 conf=$2 pod=$3 ifname=$4 device=() dir status=0
	[[ -e $conf ]] || conf=$CONF/$conf
	[[ -z ${5:-} ]] || device=(CAP_ARGS="{\"deviceID\":\"$5\"}")
	dir=$(mktemp -d "$said/net.XXXX")
	cp "$conf" "$dir/"
	env NETCONFPATH="$dir" CNI_PATH="$CNI_PATH" CNI_IFNAME="$ifname" "${device[@]}" \
		"$CNITOOL" "$verb" "$(jq -r .name "$conf")" "/run/netns/$pod" >"$said/stdout" 2>"$said/stderr" || status=$?
	rm -rf "$dir"
	echo $status >"$said/status"
	((status == 0)) || cat "$said/stdout" "$said/stderr" >&2
	return $status
}

# conf BDF [JSON]: prints the path of a configuration for `plugin`; JSON adds to it or replaces, null removes. The same again is
# the same file, not to be written to.
conf() {
	local name="conf-$*" file
	name=${name//[[:space:]]/_}
	file=$said/${name//\//|}
	((${#name} < 250)) || file=$(mktemp "$said/conf.XXXX")
	[[ ! -s $file ]] || { echo "$file" && return; }
	jq -n --arg bdf "$1" --argjson more "${2:-{\}}" '{cniVersion: "1.1.0", name: "fabric", type: "cni-sriov-rdma",
		deviceID: $bdf, vlan: 100, vlanQoS: 3, mtu: 4500, ipam: {type: "cni-ipam", subnet: "10.0.100.0/24"}} * $more
		| del(..|nulls)' >"$file"
	echo "$file"
}

# ok COMMAND…: `plugin` or `cni` must succeed; shows what it said if not.
ok() { "$@" || fail "$*: $(<"$said/stdout") $(<"$said/stderr")"; }

# stdout_holds FILTER [JQ-ARG…]: it is exactly one JSON document, of which the jq filter holds.
stdout_holds() {
	jq -es "${@:2}" "length == 1 and (.[0] | $1)" "$said/stdout" >/dev/null 2>&1
}

# expect_error CODE PATTERN: `plugin` failed; stdout is one error object, and its message or details match.
expect_error() {
	(($(<"$said/status"))) || fail "success, where error $1 ($2) was expected: $(<"$said/stdout")"
	# shellcheck disable=SC2016 # jq's
	stdout_holds '.code == $code and (.msg + "\n" + (.details // "") | test($pattern))' \
		--argjson code "$1" --arg pattern "$2" || fail "not one error with code $1 and /$2/: $(<"$said/stdout")"
}

# expect_result FILTER: the last call's stdout is one JSON document of which the jq filter holds.
expect_result() {
	stdout_holds "$1" || fail "not one document with $1: $(<"$said/stdout")"
}

# --- the whole observable state ------------------------------------------------------------------------------------------

# snapshot: one fact a line, in a stable order, for expect_same. Left out is what changes by itself: carrier, counters.
snapshot() {
	local ns
	{
		rdma system | tr '\n' ' '
		echo
		for ns in "" $(ip netns list | cut -d' ' -f1); do
			echo "\"${ns:-host}\""
			ip ${ns:+-n "$ns"} -d -j link
			ip ${ns:+-n "$ns"} -d -j addr
			${ns:+ip netns exec "$ns"} rdma -j dev
		done | jq -nr "$snapshot_filter" # one jq: it takes longest of all to start
		snapshot_drivers
		snapshot_files
	} | sort
}

# shellcheck disable=SC2016 # jq's
snapshot_filter='
def link($ns): .parentdev + " " + (
	"netns \($ns)", "name \(.ifname)",
	# of an IPoIB address, only the GUID stays when the interface is made anew
	"mac \(if .link_type == "infiniband" then .address[36:] else .address end)", "mtu \(.mtu)", "txqlen \(.txqlen)", "group \(.group)",
	"altnames \((.altnames // []) | sort | join(","))", "alias \(.ifalias)", "promiscuity \(.promiscuity)",
	"allmulti \(.allmulti)", "flags \(.flags - ["LOWER_UP", "NO-CARRIER"] | sort | join(","))",
	(.vfinfo_list // [] | .[] | "vf \(.vf) " + (del(.vf) | to_entries[] | "\(.key) \(.value | tojson)")));
foreach inputs as $in (null; if $in | type == "string" then $in else . end;
	. as $ns | $in | if type == "string" then "namespace \($ns)" else .[]
		| if .node_guid then "rdma \(.node_guid) is \(.ifname) in \($ns)"
		  elif .parentbus != "pci" then empty
		  elif .addr_info then .parentdev + " address " + (.addr_info[] | "\(.local)/\(.prefixlen)")
		  else link($ns) end end)'

snapshot_drivers() { # which driver has which PCI device, how many VFs there are; globs, as processes are slow to start
	printf '%s\n' /sys/bus/pci/drivers/*/????:??:??.?
	grep -H . /sys/bus/pci/devices/*/sriov_numvfs /sys/class/infiniband_verbs/uverbs*/ibdev 2>/dev/null || true
}

snapshot_files() { # records, leases, results of libcni
	local pools
	find /var/lib/cni /run/cni -type f ! -name '*.db*' ! -name '*lock' -printf 'file %p\n' 2>/dev/null || true
	if pools=$("$BUILD/cni-ipam/cni-ipam" leases --json 2>/dev/null); then echo "leases ${pools//$'\n'/ }"; fi
}

# expect_same BEFORE AFTER: two snapshots; prints what differs.
expect_same() {
	[[ $1 != "$2" ]] || return 0
	diff -U 0 --label before --label after <(echo "$1") <(echo "$2") | grep '^[-+]' >&2 || true
	fail "the node is not as it was"
}
