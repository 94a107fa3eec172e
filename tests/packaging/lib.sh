# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests of packaging share. To be sourced; tests/run sets REPO and BUILD.

work=$(mktemp -d /var/tmp/cni-sriov-rdma-packaging.XXXXXX)
undo() { :; }
trap 'undo; rm -rf --one-file-system "$work"' EXIT

fail() {
	printf 'failed: %s\n' "$*" >&2
	exit 1
}

is() { # WANTED GOT
	[[ $1 == "$2" ]] || fail "line ${BASH_LINENO[0]}: wanted '$1', got '$2'"
}

# says TEXT COMMAND…: it fails, and its output has the text.
refuses() {
	local text=$1 output
	shift
	if output=$("$@" 2>&1); then fail "line ${BASH_LINENO[0]}: $* succeeded"; fi
	[[ $output == *"$text"* ]] || fail "line ${BASH_LINENO[0]}: no '$text' in: $output"
}

project_version() { sed -n "s/^\tversion: '\(.*\)',$/\1/p" "$REPO/meson.build"; }

# What a plugin answers to VERSION: the newest CNI version that it supports.
cni_version() { # COMMAND…
	CNI_COMMAND=VERSION "$@" <<<'{"cniVersion":"1.1.0"}' | jq -r '.supportedVersions[-1]'
}
