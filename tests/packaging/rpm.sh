# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The RPM spec, as far as Debian's rpm can tell: it is built as on Fedora, with this machine's libraries, and its
# packages are put into an empty root.
# shellcheck source=tests/packaging/lib.sh
. "$(dirname "$0")/lib.sh"

spec=$REPO/packaging/rpm/cni-sriov-rdma.spec root=$work/root
unit_dir=$(pkgconf --variable=systemdsystemunitdir systemd)
rpm_options=(--define "_topdir $work/rpm" --define "_unitdir $unit_dir")

echo "the spec is sound, and of this version"
if command -v rpmlint >/dev/null; then # Debian 13 has none
	rpmlint --rpmlintrc "$REPO/packaging/rpm/rpmlintrc" "$spec" >"$work/log" || { cat "$work/log" && fail rpmlint; }
	grep -q " 0 errors, 0 warnings" "$work/log" || { cat "$work/log" && fail rpmlint; }
fi
is "$(project_version)" "$(rpmspec -q --srpm --qf '%{version}' "$spec")"

echo "builds from the tarball"
tarball=$("$REPO/packaging/tarball" "$work")
rpmbuild -ta --nodeps "${rpm_options[@]}" "$tarball" >"$work/log" 2>&1 || { tail -n 30 "$work/log" && fail rpmbuild; }
grep -qE '^Ok: +[1-9]' "$work/log" || fail "the unit tests did not run"

echo "each package has what it is for"
contents() {
	rpm -qpl "$work"/rpm/RPMS/*/"$1-$(project_version)"-*.rpm |
		sed -E '/^\/usr\/(share\/(doc|licenses)|lib\/.build-id)(\/|$)/d; s/\.gz$//' # newer ones compress the pages
}
is "$unit_dir/cni-sriov-rdma-mode.service
$unit_dir/cni-sriov-rdma-repair.service
$unit_dir/cni-sriov-rdma-repair.timer
/usr/libexec/cni/cni-ipam
/usr/libexec/cni/cni-sriov-rdma
/usr/sbin/cni-ipam
/usr/sbin/cni-sriov-rdma
/usr/share/man/man8/cni-ipam.8
/usr/share/man/man8/cni-sriov-rdma.8" "$(contents cni-sriov-rdma)"
is "/usr/libexec/cni/ib-sriov
/usr/libexec/cni/rdma
/usr/libexec/cni/sriov" "$(contents cni-sriov-rdma-names)"
is "/usr/lib/modprobe.d/cni-sriov-rdma.conf" "$(contents cni-sriov-rdma-exclusive)"
is "/usr/libexec/cni/cni-sriov-rdma-doctor
/usr/sbin/cni-sriov-rdma-doctor
/usr/share/man/man8/cni-sriov-rdma-doctor.8" "$(contents cni-sriov-rdma-doctor)"

echo "installs; plugins and units find each other"
mkdir "$root"
force=()
! rpm --force-debian --version &>/dev/null || force=(--force-debian) # Debian's had a guard against a dpkg system, once
rpm "${force[@]}" --root "$root" --install --nodeps --noscripts "$work"/rpm/RPMS/*/*.rpm
for name in cni-sriov-rdma cni-ipam sriov ib-sriov rdma; do
	is 1.1.0 "$(cni_version "$root/usr/libexec/cni/$name")"
done
is "cni-sriov-rdma $(project_version)" "$("$root/usr/sbin/cni-sriov-rdma" --version)"
is "/usr/libexec/cni/cni-sriov-rdma /usr/libexec/cni/cni-sriov-rdma" \
	"$(sed -n 's/^ExecStart=\([^ ]*\).*/\1/p' "$root$unit_dir"/cni-sriov-rdma-*.service | paste -sd' ')"
