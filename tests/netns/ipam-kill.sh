# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2100
# kill -9 before every system call that changes the disk, and so after each as well: nobody's lease is lost, none is
# given twice, no lock is stuck, and the killed one's lease is given to it again or released by its DEL.
# shellcheck source=tests/netns/ipam.inc
. "$(dirname "$0")/ipam.inc"

changes=openat,write,pwrite64,ftruncate,fallocate,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,fchmod,fchown
pool='"ranges":[{"subnet":"10.0.0.0/26"},{"subnet":"fd00::/122"}],"cooldown":0'
conf=$dir/conf saved=$dir/saved
ipam "$pool" >"$conf"
jq '."cni.dev/valid-attachments" = [{"containerID":"a","ifname":"net1"}]' "$conf" >"$dir/gc"

leases() { "$plugin" leases --json --data-dir "$data" 2>>"$dir/log"; }
given() { jq -c '[.ips[].address | split("/")[0]] | sort'; }
# what others than its victim hold
bystanders() { leases | jq -c '[.[] | select(.container == ("a", "b")) | .container + " " + .address] | sort'; }

# What must hold after a kill. $1: whose call it was; $2: what bystanders held before
verify() {
	local others mine again
	leases >"$dir/leases"
	{ read -r others && read -r mine; } < <(jq -c --arg whose "$1" '
		([.[] | select(.container == ("a", "b")) | .container + " " + .address] | sort),
		([.[] | select(.container == $whose).address] | sort)' "$dir/leases")
	[[ $others == "$2" ]] || fail "a bystander's lease changed: $others"
	again=$(call ADD "$1" <"$conf" | given)
	[[ $mine == "[]" || $mine == "$again" ]] || fail "its lease $mine was not given again: $again"
	call ADD new <"$conf" >/dev/null
	leases >"$dir/leases"
	jq -e '[.[].address] | length == (unique | length)' "$dir/leases" >/dev/null || fail "an address twice: $(<"$dir/leases")"
	call DEL "$1" <"$conf"
	leases >"$dir/leases"
	# its DEL released it, and what the list of free addresses lacks is what the leases have
	"$plugin" pools --json --data-dir "$data" --pools-dir "$pools" |
		jq -e --arg whose "$1" --slurpfile leases "$dir/leases" \
			'([.[].held] | add) == ($leases[0] | length) and all($leases[0][]; .container != $whose)' >/dev/null ||
		fail "leases and free addresses do not match: $(<"$dir/leases")"
}

# A rebuilt store knows what is in the namespace, however often its making was cut short.
verify_rebuilt() {
	local got
	got=$(call ADD x <"$conf" | given)
	[[ $got != *10.0.0.1\"* && $got != *fd00::1\"* ]] || fail "an address that is in use was given: $got"
	leases | jq -e 'any(.[]; .address == "10.0.0.1")' >/dev/null || fail "not rebuilt: $(leases)"
}

# sweep NAME WHOSE COMMAND…: kill COMMAND before its 1st, 2nd, … change until it lives to its end; verb=… and input=…
# say what the call is
sweep() {
	local name=$1 whose=$2 n before
	shift 2
	rm -rf "$saved"
	[[ ! -d $data ]] || cp -a "$data" "$saved"
	before=$(bystanders)
	for ((n = 1; ; n++)); do
		rm -rf "${data:?}"
		[[ ! -d $saved ]] || cp -a "$saved" "$data"
		[[ $name != rebuild ]] || truncate -s 0 "$data"/leases-*.db
		if { killed_at "$n" "$@"; } 2>/dev/null; then break; fi
		grep -q 'killed by SIGKILL' "$dir/trace" || fail "$name, point $n: $* failed by itself: $(tail -n 3 "$dir/trace")"
		if [[ $name == rebuild ]]; then verify_rebuilt; else verify "$whose" "$before"; fi
	done
	if [[ $name == rebuild ]]; then verify_rebuilt; else verify "$whose" "$before"; fi
	echo "$name: killed at $((n - 1)) points"
	((n > 5)) || fail "$name: too few points"
	rm -rf "${data:?}"
	[[ ! -d $saved ]] || cp -a "$saved" "$data"
}

killed_at() ( # POINT COMMAND…
	as_runtime "${verb:-}" "$whose" "${input:-$conf}"
	[[ -n ${verb:-} ]] || unset CNI_COMMAND
	exec strace -qq -o "$dir/trace" -e trace="$changes" -e inject="$changes:signal=KILL:when=$1" "${@:2}" >/dev/null 2>&1
)

# as_runtime VERB CONTAINER CONFIGURATION: the environment of a call for strace, which must trace the plugin alone
as_runtime() {
	export CNI_COMMAND=$1 CNI_CONTAINERID=$2 CNI_IFNAME=net1 CNI_NETNS=/var/run/netns/none CNI_PATH=/none CNI_ARGS=
	exec <"$3"
}

verb=ADD sweep "the first ADD" c "$plugin"
call ADD a <"$conf" >/dev/null
call ADD b <"$conf" >/dev/null
verb=ADD sweep "ADD" c "$plugin"
call ADD c <"$conf" >/dev/null
verb=ADD sweep "a repeated ADD" c "$plugin"
verb=DEL sweep "DEL" c "$plugin"
call DEL b <"$conf"
call ADD d <"$conf" >/dev/null
verb=GC input=$dir/gc sweep "GC" c "$plugin"
sweep "release" c "$plugin" release --container c --yes --data-dir "$data"

undo() { ip netns del "ipam-$$" || true; rm -rf "$dir"; }
ip netns add "ipam-$$"
ip -n "ipam-$$" link add net1 type veth
ip -n "ipam-$$" addr add 10.0.0.1/26 dev net1
ip -n "ipam-$$" addr add fd00::1/122 dev net1 nodad
verb=ADD sweep rebuild c "$plugin"
