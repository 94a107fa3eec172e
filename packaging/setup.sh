# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What quickstart, the tests and the lab have in common: packages, the build, cnitool. To be sourced.
# What is missing is installed from the machine's own package sources; their configuration is left alone.

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${BUILD:-$repo/build}
cache=${LAB_DIR:-/var/tmp/cni-sriov-rdma-lab}
cnitool_version=v1.3.0
cnitool=$cache/cnitool-$cnitool_version
multus_version=v4.2.0
containerd=$cache/containerd
podman=$cache/podman
multus=$cache/multus-$multus_version

build_packages=(gcc make meson ninja-build pkg-config libc6-dev libnl-3-dev
	libjansson-dev libsqlite3-dev zlib1g-dev libcmocka-dev libibverbs-dev librdmacm-dev)

say() { printf '%s\n' "$*" >&2; }
die() {
	say "${0##*/}: $*"
	exit 2
}

need_root() {
	((EUID == 0)) || die "needs root: it installs packages and works with network namespaces"
}

# Below /var/tmp anyone may have put a directory of that name: root must not run what is in it.
make_cache() {
	mkdir -p "$cache"
	[[ -O $cache ]] || die "$cache belongs to somebody else: set LAB_DIR to another directory"
}

# quietly COMMAND…: its output goes to a log, of which the end is shown if it fails.
quietly() {
	local log=$cache/setup.log
	"$@" >"$log" 2>&1 && return
	say "failed: $*"
	tail -n 20 "$log" >&2
	return 1
}

apt_get() {
	DEBIAN_FRONTEND=noninteractive quietly apt-get -q -y --no-install-recommends \
		-o DPkg::Lock::Timeout=300 -o APT::Sandbox::User=root "$@"
}

missing_packages() { # NAME…
	comm -13 <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p' | sort -u) \
		<(printf '%s\n' "$@" | sort -u)
}

# need_packages NAME…: quick, and without the network, when all are there.
need_packages() {
	local missing
	mapfile -t missing < <(missing_packages "$@")
	((${#missing[@]})) || return 0
	say "installing ${missing[*]}"
	apt_get update
	apt_get install "${missing[@]}"
}

codename() {
	# shellcheck source=/dev/null
	(. /etc/os-release && echo "$VERSION_CODENAME")
}

archive_uri() { # of the configured archive
	local uri
	# shellcheck disable=SC2016 # $(…) are apt's
	uri=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
		awk -v want="$(codename)" '$1 == want {print $2; exit}')
	[[ -n $uri ]] || die "no package source for $(codename) is configured"
	echo "$uri"
}

# apt_apart RELEASE VERB…: apt_get with one more release of the configured archive. apt gets its own lists and a copy of
# the sources for that: the machine's are not touched.
apt_apart() {
	local uri dir=$cache/apt status=0
	uri=$(archive_uri)
	rm -rf "$dir"
	mkdir -p "$dir/lists/partial" "$dir/sources"
	cp /etc/apt/sources.list.d/*.{list,sources} "$dir/sources/" 2>/dev/null || true
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $1 main" >"$dir/sources/apart.list"
	local apart=(-o Dir::State::Lists="$dir/lists" -o Dir::Etc::SourceParts="$dir/sources")
	{ apt_get "${apart[@]}" update && apt_get "${apart[@]}" -t "$@"; } || status=$?
	rm -rf "$dir"
	return $status
}

need_backports() { # NAME…
	local release
	release=$(codename)-backports
	say "installing $* from $release"
	apt_get update
	apt_apart "$release" install "$@"
}

# need_at_least NAME VERSION: from the release if it has that, else from its backports.
need_at_least() {
	local candidate
	apt_get update
	candidate=$(apt-cache policy "$1" | sed -n 's/^ *Candidate: //p')
	if dpkg --compare-versions "$candidate" ge "$2"; then
		say "installing $1"
		apt_get install "$1"
	else
		need_backports "$1"
	fi
}

find_go() { # a Go that can build cnitool, or fetch the Go that can (1.21 and newer)
	local go version
	for go in "$(command -v go)" /usr/local/go/bin/go /usr/lib/go-*/bin/go; do
		[[ -x $go ]] || continue
		version=$("$go" env GOVERSION)
		[[ $(printf '%s\n' go1.21 "$version" | sort -V | head -n 1) == go1.21 ]] && echo "$go" && return
	done
	return 1
}

need_go() { # sets `go`
	make_cache
	go=$(find_go) && return
	need_packages ca-certificates
	need_at_least golang-go 2:1.21
	go=$(find_go) || die "no Go of 1.21 or newer"
}

# go_build MODULE VERSION PACKAGE TO: by the ordinary Go client, which checks what it fetches against the public checksum
# database. A module of our own requires it: `go install` refuses some modules, and asks what other versions there are.
go_build() {
	local work=$cache/go
	say "building ${3##*/} $2"
	rm -rf "$work"
	mkdir -p "$work/main"
	printf 'module main\ngo 1.21\nrequire %s %s\n' "$1" "$2" >"$work/main/go.mod"
	GOPATH=$work GOCACHE=$work/cache GOFLAGS="-modcacherw -mod=mod" CGO_ENABLED=0 \
		quietly "$go" -C "$work/main" build -trimpath -ldflags "-s -w" -o "$work/built" "$3"
	mv "$work/built" "$4"
	rm -rf "$work"
}

get_cnitool() {
	local go module=github.com/containernetworking/cni
	[[ -x $cnitool ]] && return
	need_go
	go_build $module "$cnitool_version" $module/cnitool "$cnitool"
}

get_multus() {
	local go module=gopkg.in/k8snetworkplumbingwg/multus-cni.v4
	[[ -x $multus ]] && return
	need_go
	go_build $module "$multus_version" $module/cmd/multus "$multus"
}

# unpack_packages DIR COMMAND…: Debian packages, which the command downloads, below a directory, where no daemon of
# theirs is started
unpack_packages() {
	local dir=$1 deb
	rm -rf "$dir.new"
	mkdir -p "$dir.new/debs"
	(cd "$dir.new/debs" && "${@:2}") || return
	for deb in "$dir.new"/debs/*.deb; do dpkg -x "$deb" "$dir.new" || return; done
	rm -rf "$dir.new/debs" "$dir"
	mv "$dir.new" "$dir"
}

get_containerd() {
	[[ -x $containerd/usr/bin/ctr ]] && return
	make_cache
	need_packages libseccomp2
	say "unpacking containerd and runc"
	apt_get update || true
	unpack_packages "$containerd" apt_get download containerd runc
}

# Debian 13's Podman is built without the CNI backend, so that it is Debian 12's everywhere, with those of its libraries that
# Debian 13 has under other names, or not at all. An archive without that release is no reason to do without the other tests.
get_podman() {
	local download=(apt_get download)
	[[ -x $podman/usr/bin/podman ]] && return
	[[ $(codename) == bookworm ]] || download=(apt_apart bookworm download)
	make_cache
	need_packages libseccomp2 libdevmapper1.02.1
	say "unpacking Podman"
	apt_get update || true
	unpack_packages "$podman" "${download[@]}" podman conmon libassuan0 libglib2.0-0 libgpg-error0 libgpgme11 \
		libsemanage2 libsepol2 libsubid4 ||
		say "the archive has no Podman with a CNI backend (Debian 12's): its test will be skipped"
}

# build [DIR [MESON-OPTION…]]: $BUILD as it is shipped, by default.
build() {
	local dir=${1:-$BUILD}
	need_packages "${build_packages[@]}"
	make_cache
	if [[ ! -e $dir/build.ninja ]]; then
		quietly meson setup "$dir" "$repo" "${@:2}"
	fi
	quietly ninja -C "$dir"
}
