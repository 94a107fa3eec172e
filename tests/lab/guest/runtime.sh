# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# What the tests of a container runtime have in common: a root for its containers, the plugins where it looks for them.
# To be sourced after lib.sh.
root=$said/root calls=$said/calls

container_root() { # busybox
	local name
	mkdir -p "$root"/{bin,proc,sys,dev,tmp,etc,run,usr}
	cp /bin/busybox "$root/bin/"
	for name in sh ip ls cat sleep; do ln -s busybox "$root/bin/$name"; done
}

# logged_plugins DIR: they write down how they are called, a line a call, and what the configuration says of it
logged_plugins() {
	local program
	mkdir -p "$1"
	for program in cni-sriov-rdma cni-ipam; do
		cat >"$1/$program" <<-END
			#!/bin/bash
			conf=\$(cat)
			[[ \$conf =~ \"runtimeConfig\":(\{.*\}) ]] || true
			echo "$program \$CNI_COMMAND netns=\$CNI_NETNS ifname=\$CNI_IFNAME args=\$CNI_ARGS runtimeConfig=\${BASH_REMATCH[1]}" >>$calls
			exec $BUILD/$program/$program <<<"\$conf"
		END
		chmod +x "$1/$program"
	done
}

# called PATTERN: one of the calls matches
called() { grep -q -- "$1" "$calls" || fail "no call is $1: $(<"$calls")"; }

# The guest has no cgroups otherwise.
cgroups_mount() { mount -t cgroup2 cgroup2 /sys/fs/cgroup; }
cgroups_umount() {
	find /sys/fs/cgroup -mindepth 1 -depth -type d -exec rmdir {} + 2>/dev/null || true
	umount /sys/fs/cgroup
}
