# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2054
# The installer image: its file tree as the Containerfile makes it, and its entry point with the rights that
# packaging/kubernetes/daemonset.yaml gives: root without capabilities, a read-only root, one writable directory.
# shellcheck source=tests/packaging/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/packaging/containerfile.sh
. "$(dirname "$0")/containerfile.sh"
# shellcheck source=packaging/setup.sh
. "$REPO/packaging/setup.sh"

names_in() { (cd "$1" && echo *); }

echo "the packages of the build stage are those that the set-up installs, without the doctor's, which is not static"
for package in "${build_packages[@]}"; do
	[[ $package =~ ^(make|libibverbs-dev|librdmacm-dev)$ ]] || grep -qx "$package" <(build_stage_packages) || fail "the Containerfile does not install $package"
done

echo "the stages"
undo() { [[ ${stages[final]-} ]] || tail -n 30 "$work/log"; }
build_image "$work" >"$work/log" 2>&1 # not in a condition, where bash would go on after errors
tree=${stages[final]} host=$work/host
is "LICENSE cni cni-install" "$(names_in "$tree")"
is "cni-ipam cni-sriov-rdma" "$(names_in "$tree/cni")"
is '["/cni-install"]' "${entrypoints[final]}"
"$REPO/tests/lint/hardening" "$tree/cni-install" "$tree"/cni/*
if readelf --wide --sections "$tree"/cni/* "$tree/cni-install" | grep -F .debug_; then fail "not stripped"; fi

# in_image COMMAND…: the command line, seen from the image, run as the pod's container is.
mkdir -p "$host" "$tree/host/opt/cni/bin"
rights=(setpriv --no-new-privs --securebits=+noroot,+noroot_locked
	--bounding-set=-all,+sys_chroot --inh-caps=-all,+sys_chroot --ambient-caps=+sys_chroot) # chroot itself needs it
enter=(unshare --mount --pid --fork --kill-child -- bash -euc '
	tree=$1 host=$2
	shift 2
	mount --bind "$tree" "$tree"
	mount -o remount,bind,ro "$tree"
	mount --bind "$host" "$tree/host/opt/cni/bin"
	exec "$@"' enter "$tree" "$host")
in_image() { "${enter[@]}" "${rights[@]}" chroot "$tree" "$@"; }
install_with() { in_image /cni-install "$@"; }
installed() { names_in "$host"; }
inode() { stat -c %i "$host/$1"; }
same() { cmp -s "$tree/cni/$1" "$host/${2:-$1}" && [[ $(stat -c '%F %a %u' "$host/${2:-$1}") == "regular file 755 0" ]]; }
both_same() { same cni-ipam && same cni-sriov-rdma; }
empty() { find "$host" -mindepth 1 -delete; }

echo "installs, and leaves alone what is up to date"
output=$(umask 077 && install_with --no-sleep)
grep -qx "/host/opt/cni/bin/cni-sriov-rdma installed" <<<"$output" || fail "$output"
is "cni-ipam cni-sriov-rdma" "$(installed)"
both_same || fail "not the image's programs, mode 0755"
is 1.1.0 "$(cni_version "$host/cni-sriov-rdma")"
is 1.1.0 "$(cni_version "$host/cni-ipam")"
before=$(inode cni-ipam)
output=$(install_with --no-sleep)
is 2 "$(grep -c 'is up to date$' <<<"$output")"
is "$before" "$(inode cni-ipam)"
chmod 4755 "$host/cni-ipam"
install_with --no-sleep >/dev/null
same cni-ipam || fail "the mode is not put right"

echo "the names, each a file of its own: an installer that writes into one must not change another"
echo "somebody's" >"$host/sriov"
chmod 644 "$host/sriov"
install_with --no-sleep >/dev/null
is "somebody's" "$(<"$host/sriov")"
refuses "not 'sriov,host-local'" install_with --no-sleep --names sriov,host-local
is "somebody's" "$(<"$host/sriov")"
output=$(install_with --no-sleep --names=sriov,ib-sriov,rdma)
grep -q "/sriov replaced$" <<<"$output" || fail "$output"
is "cni-ipam cni-sriov-rdma ib-sriov rdma sriov" "$(installed)"
for name in sriov ib-sriov rdma; do same cni-sriov-rdma $name || fail "$name is not the plugin"; done
is 1 "$(stat -c %h "$host/sriov")"

echo "an operator's init container: the stage operator, with --no-sleep"
empty
mapfile -t command < <(jq -r '.[]' <<<"${entrypoints[operator]}")
diff -r "${stages[operator]}" "$tree" -x host
in_image "${command[@]}" --no-sleep >/dev/null
is "cni-ipam cni-sriov-rdma ib-sriov rdma sriov" "$(installed)"

echo "removes what is of this project, of whatever version, and no more"
rm "$host/rdma"
echo "somebody's" >"$host/rdma"
printf 'newer' >>"$host/sriov"
ln -sf cni-sriov-rdma "$host/ib-sriov"
echo "half" >"$host/.cni-ipam.cni-sriov-rdma-new"
output=$(install_with --no-sleep --uninstall)
is "ib-sriov rdma" "$(installed)"
is "" "$(find "$host" -name '.*new')"
is 2 "$(grep -c "left alone: it is not one of cni-sriov-rdma's" <<<"$output")"
output=$(install_with --no-sleep --uninstall)
is 3 "$(grep -c 'is not there$' <<<"$output")"
is "ib-sriov rdma" "$(installed)"

echo "links lead nowhere"
empty
echo "outside" >"$work/outside"
ln -s "$work/outside" "$host/cni-ipam"
ln -s ../../../../cni-install "$host/.cni-sriov-rdma.cni-sriov-rdma-new"
install_with --no-sleep >/dev/null
is outside "$(<"$work/outside")"
both_same || fail "not installed in place of links"
is "" "$(find "$host" -name '.*new')"
mkdir "$host/elsewhere"
ln -s elsewhere "$host/link"
refuses "A link is not followed" install_with --no-sleep --cni-bin-dir=/host/opt/cni/bin/link
refuses "'bin2' cannot be opened" install_with --no-sleep --cni-bin-dir=/host/opt/cni/bin2
refuses "not an absolute path" install_with --no-sleep --cni-bin-dir host/opt/cni/bin
install_with --no-sleep --cni-bin-dir /host/opt/cni/bin/elsewhere >/dev/null
same cni-ipam elsewhere/cni-ipam || fail "--cni-bin-dir"
mkdir "$host/sriov"
refuses "sriov" install_with --no-sleep --names sriov
is "" "$(find "$host" -name '.*new')"

echo "a plugin that runs goes on running as it was"
empty
{ cat "$tree/cni/cni-ipam" && echo older; } >"$host/cni-ipam"
chmod 755 "$host/cni-ipam"
mkfifo "$work/stdin"
CNI_COMMAND=VERSION "$host/cni-ipam" <"$work/stdin" >"$work/answer" &
exec 7>"$work/stdin"
grep -q "/cni-ipam replaced$" <<<"$(install_with --no-sleep)"
same cni-ipam || fail "not replaced"
echo '{"cniVersion":"1.0.0"}' >&7
exec 7>&-
wait $!
is 1.0.0 "$(jq -r .cniVersion "$work/answer")"

echo "killed, or failing, at each step: the old program or the new one is there as a whole"
older() {
	empty
	{ cat "$tree/cni/cni-ipam" && echo older; } >"$host/cni-ipam"
	chmod 755 "$host/cni-ipam"
	cp -p "$host/cni-ipam" "$work/older"
}
for call in write fchmod fsync renameat; do
	for what in signal=KILL error=ENOSPC; do
		older
		if "${enter[@]}" strace -f -qq -o "$work/trace" -e "trace=$call" -e "inject=$call:$what:when=1" \
			chroot "$tree" /cni-install --no-sleep >"$work/output" 2>&1; then
			fail "$call $what: succeeded"
		fi
		grep -qE "INJECTED|SIGKILL" "$work/trace" || fail "$call $what: was not reached"
		same cni-ipam || cmp -s "$work/older" "$host/cni-ipam" || fail "$call $what: half a program is there"
		if [[ $what == error* ]]; then
			grep -q "No space left" "$work/output" || fail "$call $what: $(<"$work/output")"
			is "" "$(find "$host" -name '.*new')"
		fi
		install_with --no-sleep >/dev/null
		both_same || fail "$call $what: not mended by the next run"
		is "" "$(find "$host" -name '.*new')"
	done
done

echo "sleeps, and ends at once on SIGTERM, though it is a container's first process"
empty
install_with >"$work/output" &
sleeper=$!
install_pid() { pgrep -P "$(pgrep -P "$1" || echo none)" -x cni-install || pgrep -P "$1" -x cni-install; }
for ((i = 0; i < 100; i++)); do
	! grep -q "sleeping until SIGTERM" "$work/output" || break
	sleep 0.1
done
pid=$(install_pid "$sleeper")
is 1 "$(awk '/^NSpid:/ {print $NF}' "/proc/$pid/status")"
is 0000000000040000 "$(awk '/^CapEff:/ {print $2}' "/proc/$pid/status")" # sys_chroot, for the sake of the test
start=${EPOCHREALTIME/./}
kill -TERM "$pid"
(sleep 5 && kill -KILL "$pid") &>/dev/null &
watchdog=$!
wait "$sleeper" || fail "did not end on SIGTERM"
kill "$watchdog"
(((${EPOCHREALTIME/./} - start) < 1000000)) || fail "took more than a second"

echo "two at once wait for each other"
empty
exec 8<"$host"
flock 8
install_with --no-sleep >/dev/null 8<&- &
install_with --no-sleep --names sriov >/dev/null 8<&- &
sleep 0.7
is "*" "$(installed)"
exec 8<&-
wait
is "cni-ipam cni-sriov-rdma sriov" "$(installed)"
