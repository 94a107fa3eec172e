# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The lab's kit: a kernel of Debian's, never installed, with its modules and ours, and an initrd. Sourced by lab.
# It is made again when this file, modules/, guest/init or the newest kernel package changes.

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=packaging/setup.sh
. "$here/../../packaging/setup.sh"

host_packages=(busybox-static cpio xz-utils zstd make gcc libc6-dev libelf-dev kmod patch binutils jq)
guest_packages=(iproute2 iputils-ping iputils-arping ibverbs-utils ibverbs-providers rdmacm-utils perftest pciutils
	kmod procps jq gojq tcpdump containernetworking-plugins)

need_qemu() { # igb came with QEMU 8.0
	has_igb() { qemu-system-x86_64 -device help 2>/dev/null | grep '"igb"' >/dev/null; }
	has_igb && return
	need_at_least qemu-system-x86 1:8
	has_igb || die "this QEMU has no igb device (8.0 or newer is needed)"
}

newest_kernel() { # the newest image of the 6.12 series that apt knows of
	apt-cache pkgnames linux-image-6.12 | grep -E '^linux-image-6\.12\.[^-]*-amd64$' | sort -V | tail -n 1
}

fetch_kernel() { # IMAGE-PACKAGE: the packages are unpacked here, never installed
	local image=$1 release=${1#linux-image-} version
	version=$(apt-cache show "$image" | sed -n 's/^Version: //p' | head -n 1)
	mkdir -p "$cache/debs"
	cd "$cache/debs" || return # apt does not fetch again what is there and whole
	apt_get download "$image" "linux-headers-$release" "linux-headers-${release%-amd64}-common" \
		"linux-kbuild-${release%-amd64}" "linux-source-6.12=$version" || return
	find . -name '*.deb' ! -name "*_${version}_*" -delete # of an earlier kernel
}

unpack_kernel() { # RELEASE
	local release=$1 deb
	mkdir -p "$new/kernel"
	cd "$new/kernel"
	for deb in "$cache"/debs/*.deb; do dpkg -x "$deb" .; done
	[[ -e lib/modules ]] || ln -s usr/lib lib # where Debian 13's packages have them
	# Debian's headers look for each other below /usr
	sed -i "s#/usr/src/#$PWD/usr/src/#" "usr/src/linux-headers-$release/Makefile"
	sed -i "s#/usr/#$PWD/usr/#g" "usr/src/linux-headers-$release/.kernelvariables"
	depmod -b . "$release"
	tar xf usr/src/linux-source-6.12.tar.xz --wildcards --strip-components=1 \
		'*/drivers/infiniband/sw/rxe/*' '*/scripts/extract-vmlinux'
	bash scripts/extract-vmlinux "boot/vmlinuz-$release" >"$new/vmlinux" # boots faster than the compressed image
	echo "$release" >"$new/release"
}

# rxe that can change namespace; vfib and fakehca, which have the looks of a NIC's and of an HCA's RDMA device; manyvf, a NIC.
build_modules() { # RELEASE
	local release=$1 module
	mkdir -p "$new/modules"/{vfib,fakehca,manyvf}
	cp -r "$new/kernel/drivers/infiniband/sw/rxe" "$new/modules/rxe"
	rm "$new/modules/rxe/Makefile" # the patch brings a Kbuild
	patch -s -d "$new/modules/rxe" -p1 <"$here/modules/rxe-netns.patch"
	for module in vfib fakehca manyvf; do
		cp "$here/modules/$module.c" "$new/modules/$module/"
		echo "obj-m := $module.o" >"$new/modules/$module/Kbuild"
	done
	for module in rxe vfib fakehca manyvf; do # type information would want pahole, and nobody reads it
		quietly make -j"$(nproc)" -C "$new/kernel/usr/src/linux-headers-$release" M="$new/modules/$module" \
			CONFIG_DEBUG_INFO_BTF_MODULES= modules
		strip -g "$new/modules/$module"/*.ko
	done
}

make_initrd() { # RELEASE: just enough to mount the host's root
	local modules=$new/kernel/lib/modules/$1/kernel module tree=$new/initrd
	mkdir -p "$tree"/{bin,dev,proc,sys,mod,lower,rw,root}
	cp "$(command -v busybox)" "$tree/bin/busybox"
	ln -s busybox "$tree/bin/sh"
	install "$here/guest/init" "$tree/init"
	for module in fs/netfs/netfs net/9p/9pnet net/9p/9pnet_virtio fs/9p/9p fs/overlayfs/overlay; do
		xz -dc "$modules/$module.ko.xz" >"$tree/mod/${module##*/}.ko"
	done
	(cd "$tree" && find . | cpio -o -H newc --quiet) >"$new/initrd.cpio"
}

# A /dev/kvm can be there and fail all the same, in a nested machine: believe in it once a guest has booted.
choose_accel() {
	local accel=tcg
	if [[ -w /dev/kvm ]] && (kit=$new LAB_ACCEL=kvm timeout=15 run /bin/true) >/dev/null 2>&1; then
		accel=kvm
	fi
	echo $accel >"$new/accel"
}

# Kits bear the kernel's release and a hash of what they were made of, so that several checkouts get along.
sources_hash() { cat "$here"/kit.sh "$here"/modules/* "$here/guest/init" | sha256sum | cut -c 1-12; }

kits() { # PATTERN: the newest first
	find "$cache" -maxdepth 1 -name "$1" -printf '%T@ %p\n' | sort -rn | cut -d ' ' -f 2-
}

find_kit() { # the newest one that was made of these sources
	kits "kit-*-$(sources_hash)" | sed -n 1p
}

make_kit() { # IMAGE-PACKAGE
	local release=${1#linux-image-}
	new=$cache/new
	rm -rf "$new"
	mkdir -p "$new"
	(unpack_kernel "$release")
	build_modules "$release"
	make_initrd "$release"
	choose_accel
	rm -rf "$new/initrd" "$new"/kernel/{usr/src,drivers,scripts,boot}
	mv "$new" "$kit" # only a whole one has such a name
}

forget_old_kits() { # all but three, and those in use
	local old
	for old in $(kits 'kit-*' | sed 1,3d); do
		flock -n "$old" rm -rf "$old" || true
	done
}

prepare() {
	need_root
	make_cache
	need_packages "${host_packages[@]}" "${guest_packages[@]}"
	need_qemu
	get_cnitool
	local image turn
	exec {turn}<>"$cache/prepare.lock"
	flock "$turn"
	kit=$(find_kit)
	image=$(newest_kernel)
	# Without package lists, there is no newer kernel.
	[[ -n $kit && (-z $image || $kit == */kit-"${image#linux-image-}"-*) ]] && return
	say "making the lab's kernel, modules and initrd (about a minute)"
	apt_get update || true
	image=$(newest_kernel)
	[[ -n $image ]] || die "the package sources have no Linux 6.12"
	if ! (fetch_kernel "$image"); then
		[[ -n $kit ]] || die "cannot get $image"
		say "keeping the kernel that is there"
		return
	fi
	kit=$cache/kit-${image#linux-image-}-$(sources_hash)
	make_kit "$image"
	forget_old_kits
	flock -u "$turn"
}
