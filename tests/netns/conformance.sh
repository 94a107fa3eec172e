# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# cni-ipam keeps each rule of the specification's table; host-local, as a cross-check of the table, all but those whose
# case says that it does not. (cni-sriov-rdma: tests/lab/t/conformance.sh.)
: "${REPO:=$(git rev-parse --show-toplevel)}" "${BUILD:=$REPO/build}"
table=$REPO/tests/conformance
export BUILD

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# told REPORT: no case of the table is missing in it
told() {
	diff <(cat "$table"/cases/[a-z]* | sed -n 's/^case //p' | sort) \
		<(sed -nE 's/^(ok|deviates|not ok|other) +([^] []+).*/\2/p' "$1" | sort -u) ||
		fail "the report does not have the cases of the table"
}

for plugin in cni-ipam host-local; do
	report=$BUILD/reports/conformance-$plugin.txt
	"$table/run" "$table/plugins/$plugin" --report "$report"
	told "$report"
done
if grep ^deviates "$BUILD/reports/conformance-cni-ipam.txt"; then fail "ours does not deviate"; fi
