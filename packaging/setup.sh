# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What quickstart, the tests and the lab have in common: packages, the build, cnitool. To be sourced.
# What is missing is installed from the machine's own package sources; their configuration is left alone.

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${BUILD:-$repo/build}
cache=${LAB_DIR:-/var/tmp/cni-sriov-rdma-lab}
cnitool_version=v1.3.0
cnitool=$cache/cnitool-$cnitool_version

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

# Installs from the release's backports. apt gets its own lists and a copy of the sources for that: the machine's
# are not touched. The address is that of the configured archive.
need_backports() { # NAME…
	local codename uri dir=$cache/apt
	codename=$(codename)
	say "installing $* from $codename-backports"
	apt_get update
	uri=$(archive_uri)
	rm -rf "$dir"
	mkdir -p "$dir/lists/partial" "$dir/sources"
	cp /etc/apt/sources.list.d/*.{list,sources} "$dir/sources/" 2>/dev/null || true
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $codename-backports main" \
		>"$dir/sources/backports.list"
	local apart=(-o Dir::State::Lists="$dir/lists" -o Dir::Etc::SourceParts="$dir/sources")
	apt_get "${apart[@]}" update
	apt_get "${apart[@]}" -t "$codename-backports" install "$@"
	rm -rf "$dir"
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

# The real cnitool, by the ordinary Go client, which checks it against the public checksum database.
get_cnitool() {
	[[ -x $cnitool ]] && return
	make_cache
	local go
	if ! go=$(find_go); then
		need_packages ca-certificates
		need_at_least golang-go 2:1.21
		go=$(find_go) || die "no Go of 1.21 or newer"
	fi
	say "building cnitool $cnitool_version"
	local work=$cache/go
	GOPATH=$work GOCACHE=$work/cache GOBIN=$work/bin GOFLAGS=-modcacherw CGO_ENABLED=0 \
		quietly "$go" install "github.com/containernetworking/cni/cnitool@$cnitool_version"
	mv "$work/bin/cnitool" "$cnitool"
	rm -rf "$work"
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
