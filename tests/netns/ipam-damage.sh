# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2100
# A damaged or lost store is set aside and rebuilt from what lives; a full or read-only disk is an error with code 5.
[[ -n ${UNSHARED:-} ]] || UNSHARED=1 exec unshare --mount bash -euo pipefail "$0" # /var/lib/cni of its own
# shellcheck source=tests/netns/ipam.inc
. "$(dirname "$0")/ipam.inc"
mkdir -p /var/lib/cni
mount -t tmpfs none /var/lib/cni
undo() { ip netns del "ipam-$$" 2>/dev/null || true; umount "$dir/small" 2>/dev/null || true; rm -rf "$dir"; }

leases() { "$plugin" leases --json --data-dir "$data" "$@" 2>>"$dir/log"; }
pool='"ranges":[{"subnet":"10.0.0.0/24"},{"subnet":"fd00::/64"}],"cooldown":0'

echo "what lives: a record of the attach plugin, libcni's cache, an address in a namespace"
ip netns add "ipam-$$"
ip -n "ipam-$$" link add net1 type veth
ip -n "ipam-$$" addr add 10.0.0.3/24 dev net1
ip -n "ipam-$$" addr add fd00::3/64 dev net1 nodad
boot=$(</proc/sys/kernel/random/boot_id)
mkdir -p /var/lib/cni/cni-sriov-rdma/attachments /var/lib/cni/results
record() { # BOOT CONTAINER ADDRESS
	printf '{"version":1,"bootId":"%s","network":"net-a","containerId":"%s","ifname":"net1","netns":"/n","cniArgs":"K8S_POD_NAMESPACE=ns;K8S_POD_NAME=pod",
		"netnsId":{"dev":1,"ino":2},"result":{"cniVersion":"1.1.0","ips":[{"address":"%s"}]}}' "$1" "$2" "$3"
}
record "$boot" recorded 10.0.0.1/24 >/var/lib/cni/cni-sriov-rdma/attachments/0000:01:00.1.json
record 00000000-0000-0000-0000-000000000000 earlier 10.0.0.4/24 >/var/lib/cni/cni-sriov-rdma/attachments/0000:01:00.2.json
: >/var/lib/cni/cni-sriov-rdma/attachments/0000:01:00.3.json
cached() { # CONTAINER ADDRESS
	printf '{"kind":"cniCacheV1","containerId":"%s","ifName":"net1","networkName":"net-a","result":{"cniVersion":"1.0.0","ips":[{"address":"%s"}]}}' "$@"
}
cached cached 10.0.0.2/24 >/var/lib/cni/results/net-a-cached-net1
cached recorded 10.0.0.1/24 >/var/lib/cni/results/net-a-recorded-net1
cached old 10.0.0.5/24 >/var/lib/cni/results/net-a-old-net1
touch -d 2001-01-01 /var/lib/cni/results/net-a-old-net1
# another fabric has the first address as well
cached blue 10.0.0.1/24 | sed s/net-a/net-b/ >/var/lib/cni/results/net-b-blue-net1

damage() { # KIND: what can happen to the database's file
	case $1 in
	empty) : >"$db" ;;
	garbage) head -c 30000 /dev/urandom >"$db" ;;
	truncated) truncate -s 9000 "$db" ;;
	directory) rm "$db" && mkdir "$db" ;;
	lost) rm "$db" ;;
	page) dd if=/dev/urandom of="$db" bs=4096 seek=1 count=20 conv=notrunc status=none ;;
	esac
}
for kind in empty garbage truncated directory lost page; do
	rm -rf "${data:?}"
	give x "$pool" >/dev/null
	db=$(echo "$data"/leases-*.db)
	damage $kind
	is "10.0.0.4/24 fd00::1/64" "$(give y "$pool")" # 1 recorded, 2 cached, 3 in a namespace
	is "10.0.0.1 recorded,10.0.0.2 cached,10.0.0.3 ipam-$$" \
		"$(leases | jq -r '[.[] | select(.network != "net-b" and (.address | startswith("10.0.0.")) and .container != "y") | .address + " " + .container] | sort | join(",")')"
	is "ns/pod" "$(leases | jq -r '.[] | select(.container == "recorded").pod')"
	is "$([[ $kind == lost ]] && echo 0 || echo 1)" "$(find "$data" -maxdepth 1 -name damaged-1.db | wc -l)"
	echo "$kind: rebuilt"
done

echo "its owners go on: a repeated ADD, CHECK, DEL"
is 10.0.0.2/24 "$(ipam "$pool" | call ADD cached | jq -r '.ips[0].address')"
ipam "$pool" | jq '.prevResult = {"cniVersion":"1.1.0","ips":[{"address":"10.0.0.1/24"}]}' | call CHECK recorded
netns=/var/run/netns/ipam-$$
ipam "$pool" | jq '.prevResult = {"cniVersion":"1.1.0","ips":[{"address":"10.0.0.3/24"}]}' | call CHECK whoever
take whoever "$pool" # the one in that namespace, on that interface
netns=
take recorded "$pool"
is 0 "$(leases | jq '[.[] | select(.address == "10.0.0.3" or .container == "recorded")] | length')"
net=net-b
request() { ipam "$pool" | jq --arg ip "$1" '.runtimeConfig.ips = [$ip]' | call ADD other; }
refused 102 "is held by" request 10.0.0.1
net=net-a

echo "what cannot be read is not guessed: the store stays unusable, and says why"
db=$(echo "$data"/leases-*.db)
: >"$db"
rm -r /var/lib/cni/cni-sriov-rdma/attachments
: >/var/lib/cni/cni-sriov-rdma/attachments
refused 5 "/var/lib/cni/cni-sriov-rdma/attachments" raw ADD z "$pool"
refused 50 "/var/lib/cni/cni-sriov-rdma/attachments" raw STATUS "" "$pool"
rm /var/lib/cni/cni-sriov-rdma/attachments
give z "$pool" >/dev/null

echo "a full disk: ADD fails with code 5 and changes nothing, DEL gets through"
mkdir "$dir/small"
mount -t tmpfs -o size=256k none "$dir/small"
data=$dir/small/data
give full1 "$pool" >/dev/null
give full2 "$pool" >/dev/null
dd if=/dev/zero of="$dir/small/fill" bs=4k status=none 2>/dev/null || true
take full1 "$pool"
is full2 "$(leases | jq -r '[.[].container] | unique | join(" ")')"
n=0
while out=$(ipam "$pool" | call ADD "more$n"); do ((++n < 500)) || fail "the disk does not fill"; done
is 5 "$(jq -r .code <<<"$out")"
is $((2 * n + 2)) "$(leases | jq length)"
ipam "$pool" | call DEL full2
rm "$dir/small/fill"
give "more$n" "$pool" >/dev/null

echo "a read-only file system: ADD fails with code 5"
mount -o remount,ro "$dir/small"
refused 5 "" raw ADD ro "$pool"
mount -o remount,rw "$dir/small"
rm -rf "${data:?}"
: >"$data"
refused 5 "$data" raw ADD file "$pool"
