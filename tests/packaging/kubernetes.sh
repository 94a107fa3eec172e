# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The DaemonSet asks for no more than it needs, and what it says is what the image does.
# shellcheck source=tests/packaging/lib.sh
. "$(dirname "$0")/lib.sh"

manifest=$REPO/packaging/kubernetes/daemonset.yaml
pod=$work/pod.json
json() { python3 -c 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)'; }
json <"$manifest" >"$work/daemonset.json"
jq .spec.template.spec "$work/daemonset.json" >"$pod"

has() { # JQ-CONDITION FILE
	jq -e "$1" "$2" >/dev/null || fail "line ${BASH_LINENO[0]}: not so: $1"
}

echo "a DaemonSet whose selector selects its pods"
has '.apiVersion == "apps/v1" and .kind == "DaemonSet" and .metadata.namespace == "kube-system"' "$work/daemonset.json"
has '.spec.selector.matchLabels == .spec.template.metadata.labels and (.spec.selector.matchLabels | length > 0)' "$work/daemonset.json"

echo "the least privileges"
has '[.hostNetwork, .hostPID, .hostIPC, .serviceAccountName] == [null, null, null, null]' "$pod"
has '.automountServiceAccountToken == false' "$pod"
has '[.volumes[].hostPath.path] == ["/opt/cni/bin"]' "$pod"
has '(.containers | length == 1) and .initContainers == null' "$pod"
jq '.containers[0]' "$pod" >"$work/container.json"
has '.securityContext == {runAsUser: 0, runAsGroup: 0, allowPrivilegeEscalation: false, readOnlyRootFilesystem: true,
	capabilities: {drop: ["ALL"]}, seccompProfile: {type: "RuntimeDefault"}}' "$work/container.json"
has '.command == null and .env == null and .ports == null' "$work/container.json"

echo "the version, the mount and the options are the entry point's"
is "cni-sriov-rdma:$(project_version)" "$(jq -r .image "$work/container.json")"
entry=$BUILD/packaging/cni-install
is "cni-sriov-rdma $(project_version)" "$("$entry" --version)"
grep -qF "($(jq -r '.volumeMounts[0].mountPath' "$work/container.json"))" <<<"$("$entry" --help)"
mapfile -t options < <(sed -n 's/^ *# args: //p' "$manifest" | json | jq -r '.[]')
is 1 "${#options[@]}"
"$entry" "${options[@]}" --help >/dev/null
# The proposed options and --uninstall go together with those that are there.
"$entry" "${options[@]}" --uninstall --no-sleep --help >/dev/null
