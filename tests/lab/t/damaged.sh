# SPDX-License-Identifier: Apache-2.0
# Proves that a record that is empty, cut off, garbage, of another version, or a directory neither crashes a verb nor makes
# DEL fail for ever, and that the VF can be attached again; and what happens on a full, read-only or forbidden disk.
before=$(snapshot)
vf=$(vf_bdf 0 0)
c=$(conf "$vf")
attach="$BUILD/cni-sriov-rdma/cni-sriov-rdma"
records=/var/lib/cni/cni-sriov-rdma/attachments
mkdir -p $records
damage() {
	case $1 in
	empty) : >"$2" ;;
	garbage) head -c 500 /dev/urandom >"$2" ;;
	cut) echo '{"version":1,"bootId":"' >"$2" ;;
	version) echo '{"version":2}' >"$2" ;;
	directory) mkdir "$2" ;;
	esac
}
pod_add one two
for how in empty garbage cut version directory; do
	damage $how "$records/$vf.json"
	ok plugin DEL "$c" one net1
	CID="" NETNS="" ok plugin GC "$(conf "" '{"deviceID": null, "cni.dev/valid-attachments": []}')" "" ""
	fails "$attach" list 2>"$said/stderr"
	grep -q "record of VF $vf is damaged" "$said/stderr"
	ok plugin ADD "$c" two net1
	ok plugin DEL "$c" two net1
	damage $how "$records/$vf.json"
	"$attach" repair >/dev/null
	rm -rf "$records/$vf.damaged"
	expect_same "$(sed '/^namespace/d' <<<"$before")" "$(snapshot | sed '/^namespace/d')"
done

# the record of a living attachment is lost: DEL brings the VF home from the namespace it is told
ok plugin ADD "$c" one net1
damage garbage "$records/$vf.json"
ok plugin DEL "$c" one net1
[[ -n $(vf_dev "$vf") ]]
[[ -n $(vf_rdma "$vf") ]]
ip link set "$(pf_dev 0)" vf 0 vlan 0
ip link set "$(vf_dev "$vf")" mtu 1500 name "$(grep -oP "^$vf name \K.*" <<<"$before")"
rm -rf "$records/$vf.damaged"
pod_del one two
expect_same "$before" "$(snapshot)"

# a disk that is full, read-only, or not there: ADD fails before it changes anything, DEL still brings the VF home
state=$said/state
c=$(conf "$vf" "{\"dataDir\": \"$state\"}")
mkdir "$state"
mount -t tmpfs -o size=4k tmpfs "$state"
mkdir -m 700 "$state/attachments"
pod_add one
free=$(snapshot)
head -c 1M /dev/zero >"$state/filler" 2>/dev/null || true
fails plugin ADD "$c" one net1
expect_error 5 "write the record of VF $vf: No space left on device"
expect_same "$free" "$(snapshot)"
umount "$state"

mount -t tmpfs tmpfs "$state"
ok plugin ADD "$c" one net1
head -c 1G /dev/zero >"$state/filler" 2>/dev/null || true
ok plugin DEL "$c" one net1
rm "$state/filler"
expect_same "$free" "$(snapshot)"

ok plugin ADD "$c" one net1
mount -o remount,ro "$state"
fails plugin DEL "$c" one net1
expect_error 5 "remove the record of VF $vf: Read-only file system"
expect_same "$free" "$(snapshot)"
fails plugin ADD "$c" one net1
expect_error 5 "VF $vf.*Read-only"
expect_same "$free" "$(snapshot)"
mount -o remount,rw "$state"
ok plugin DEL "$c" one net1
umount "$state"
fails plugin ADD "$(conf "$vf" '{"dataDir": "/proc/state"}')" one net1
expect_error 5 'state directory /proc/state'
pod_del one
expect_same "$before" "$(snapshot)"
