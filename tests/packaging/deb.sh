# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# The Debian packages: built from the sources as they are, clean to lintian, and installed, upgraded and purged in a
# clean Debian of this release, which ROOT_TAR holds.
# shellcheck source=tests/packaging/lib.sh
. "$(dirname "$0")/lib.sh"

built=$work/built root=$work/root
version=$(project_version)-1~upstream1
unit_dir=$(pkgconf --variable=systemdsystemunitdir systemd)

echo "builds"
"$REPO/packaging/build-deb" "$built" >"$work/log" 2>&1 || { tail -n 30 "$work/log" && fail build-deb; }
grep -qE '^Ok: +[1-9]' "$work/log" || fail "the unit tests did not run"

echo "lintian has no error and no warning"
lintian --allow-root --fail-on error,warning "$built"/*.changes || fail lintian

echo "each package has what it is for"
contents() { dpkg-deb --fsys-tarfile "$built/$1_$version"_*.deb | tar -t | sed -n 's,^\.\(/.*[^/]\)$,\1,p' | grep -v "^/usr/share/doc/" | sort; }
is "$(sort <<<"$unit_dir/cni-sriov-rdma-mode.service
$unit_dir/cni-sriov-rdma-repair.service
$unit_dir/cni-sriov-rdma-repair.timer
/usr/lib/cni/cni-ipam
/usr/lib/cni/cni-sriov-rdma
/usr/sbin/cni-ipam
/usr/sbin/cni-sriov-rdma
/usr/share/lintian/overrides/cni-sriov-rdma
/usr/share/man/man8/cni-ipam.8.gz
/usr/share/man/man8/cni-sriov-rdma.8.gz")" "$(contents cni-sriov-rdma)"
is "/usr/lib/cni/ib-sriov
/usr/lib/cni/rdma
/usr/lib/cni/sriov" "$(contents cni-sriov-rdma-names)"
is "/usr/lib/modprobe.d/cni-sriov-rdma.conf" "$(contents cni-sriov-rdma-exclusive)"
is "/usr/lib/cni/cni-sriov-rdma-doctor
/usr/sbin/cni-sriov-rdma-doctor
/usr/share/man/man8/cni-sriov-rdma-doctor.8.gz" "$(contents cni-sriov-rdma-doctor)"

# A mount namespace of its own: what is mounted for the packages' scripts goes with it.
in_root() {
	unshare --mount -- bash -euc '
		mount -t proc proc "$1/proc"
		mount --rbind /dev "$1/dev"
		exec chroot "$@"' in_root "$root" "$@"
}
install_deb() { # NAME…
	cp "${@/#/$built/}" "$root/tmp/"
	in_root dpkg --install "${@/#//tmp/}" >"$work/log" 2>&1 || { cat "$work/log" && fail "dpkg --install $*"; }
	(cd "$root/tmp" && rm -- "$@")
}
deb() { (cd "$built" && echo "$1_$version"_*.deb); }
tree() {
	(cd "$root" && find . '(' -path ./run -o -path ./var/lib/dpkg -o -path ./var/log -o -path ./var/cache ')' -prune \
		-o -printf '%p %y %m %l\n' | sort)
}

mkdir "$root"
tar -C "$root" -xf "$ROOT_TAR"
tree >"$work/before"

echo "installs in a clean root; an older version first, which another file named sriov survives"
dpkg-deb -R "$built/$(deb cni-sriov-rdma)" "$work/older"
sed -i "s/^Version: .*/Version: 0.0.1-1/" "$work/older/DEBIAN/control"
printf 'older' >>"$work/older/usr/lib/cni/cni-ipam"
dpkg-deb --root-owner-group -Znone -b "$work/older" "$built/older.deb" >/dev/null
mkdir -p "$root/usr/lib/cni"
echo "somebody's" >"$root/usr/lib/cni/sriov"
install_deb older.deb
timers=$root/etc/systemd/system/timers.target.wants
[[ -L $timers/cni-sriov-rdma-repair.timer ]] || fail "the timer is not enabled"
is "" "$(find "$root/etc/systemd" -name 'cni-sriov-rdma-mode*')"
rm "$timers/cni-sriov-rdma-repair.timer" # by the administrator: systemctl disable

echo "upgrades while a plugin runs, and leaves a disabled timer disabled"
mkfifo "$work/stdin"
CNI_COMMAND=VERSION "$root/usr/lib/cni/cni-ipam" <"$work/stdin" >"$work/answer" &
exec 7>"$work/stdin"
install_deb "$(deb cni-sriov-rdma)"
echo '{"cniVersion":"1.0.0"}' >&7
exec 7>&-
wait $!
is 1.0.0 "$(jq -r .cniVersion "$work/answer")"
[[ ! -e $timers/cni-sriov-rdma-repair.timer ]] || fail "the timer is enabled again"
is "somebody's" "$(<"$root/usr/lib/cni/sriov")"

echo "the plugins run there, where nothing else is installed"
is 1.1.0 "$(cni_version chroot "$root" /usr/lib/cni/cni-sriov-rdma)"
is 1.1.0 "$(cni_version chroot "$root" /usr/lib/cni/cni-ipam)"
is "cni-sriov-rdma $(project_version)" "$(in_root cni-sriov-rdma --version)"
in_root cni-ipam --help >/dev/null

echo "the names, asked for, replace what was there"
install_deb "$(deb cni-sriov-rdma-names)"
for name in sriov ib-sriov rdma; do is 1.1.0 "$(cni_version chroot "$root" /usr/lib/cni/$name)"; done

echo "units are valid, and start what is installed"
in_root systemd-analyze verify --man=no cni-sriov-rdma-{mode,repair}.service cni-sriov-rdma-repair.timer 2>&1 |
	{ ! grep -F cni-sriov-rdma; } || fail "systemd-analyze verify"
is "/usr/lib/cni/cni-sriov-rdma /usr/lib/cni/cni-sriov-rdma" \
	"$(sed -n 's/^ExecStart=\([^ ]*\).*/\1/p' "$root$unit_dir"/cni-sriov-rdma-*.service | paste -sd' ')"

echo "exclusive mode, once asked for, in the initramfs too"
in_root modprobe --showconfig | { ! grep "netns_mode"; } || fail "in the main package?"
install_deb "$(deb cni-sriov-rdma-exclusive)"
grep -qx "options ib_core netns_mode=0" <<<"$(in_root modprobe --showconfig)" || fail "modprobe does not know the mode"
grep -qx "activate-noawait update-initramfs" <<<"$(in_root dpkg-query --control-show cni-sriov-rdma-exclusive triggers)" ||
	fail "the initramfs is not made again"

echo "the doctor starts, with the libraries that it depends on"
install_deb "$(deb cni-sriov-rdma-doctor)"
in_root cni-sriov-rdma-doctor --help >/dev/null

echo "documents"
diff -r "$REPO/conf-examples" "$root/usr/share/doc/cni-sriov-rdma/examples"
for page in "$root"/usr/share/man/man8/cni-*.8.gz; do
	man --warnings -l "$page" >/dev/null 2>"$work/log"
	[[ ! -s $work/log ]] || fail "$page: $(<"$work/log")"
done

echo "purged, nothing is left"
in_root dpkg --purge cni-sriov-rdma-names cni-sriov-rdma-doctor cni-sriov-rdma-exclusive cni-sriov-rdma >"$work/log" 2>&1 ||
	{ cat "$work/log" && fail "dpkg --purge"; }
diff "$work/before" <(tree) || fail "not as before"
