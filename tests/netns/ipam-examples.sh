# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2100
# Each example below conf-examples gives addresses as it stands, and different ones on different nodes.
# shellcheck source=tests/netns/ipam.inc
. "$(dirname "$0")/ipam.inc"

for conf in "$REPO"/conf-examples/ipam-*.json; do
	for node in node-a node-b; do
		jq --arg data "$dir/$node" --arg pools "$REPO/conf-examples/pools" --arg node "$node" \
			'.ipam += {dataDir: $data, poolsDir: $pools, nodeName: $node}' "$conf" >"$dir/conf"
		call ADD a <"$dir/conf" | jq -r '.ips[].address' >"$dir/$node.got"
		[[ -s $dir/$node.got ]] || fail "$conf gives nothing on $node"
		call DEL a <"$dir/conf"
	done
	if grep -q '"nodes"\|"pool' "$conf"; then # parted by node
		is "" "$(comm -12 <(sort "$dir/node-a.got") <(sort "$dir/node-b.got"))"
	fi
	echo "$(basename "$conf"): $(paste -sd ' ' "$dir/node-a.got"), $(paste -sd ' ' "$dir/node-b.got")"
done
for pool in "$REPO"/conf-examples/pools/*.json; do
	shows '^ok: ' "$plugin" validate --node node-a "$pool"
done

echo "the man page is sound, and names every option and field of the configuration"
mandoc -Tlint -Wwarning "$REPO/cni-ipam/cni-ipam.8"
for word in $(grep -oP '^\t\{ "\K[a-z-]+(?=", (no|required)_argument)' "$REPO/cni-ipam/cli.c") \
	$(grep -ohP 'field_[a-z0-9]+\((of|&of|ipam|&ipam|args|&args), "\K[^"]+' "$REPO"/cni-ipam/{conf,nvipam,part,pool_native,subnet,whereabouts}.c); do
	[[ $word == help ]] || grep -q -- "$word" "$REPO/cni-ipam/cni-ipam.8" || fail "the man page lacks $word"
done
