# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2100
# Many at once: no address twice, no call that fails for the lock, and no lease that stays behind.
# shellcheck source=tests/netns/ipam.inc
. "$(dirname "$0")/ipam.inc"

# all_at_once COUNT VERB MEMBERS: COUNT calls, each for a container of its own, results in $dir/out.N
all_at_once() {
	local i pids=()
	ipam "$3" >"$dir/conf"
	for ((i = 0; i < $1; i++)); do
		call "$2" "c$i" <"$dir/conf" >"$dir/out.$i" &
		pids+=($!)
	done
	for i in "${pids[@]}"; do wait "$i" || fail "a $2 of $1 at once failed: $(tail -n 1 "$dir/log")"; done
}
addresses() { cat "$dir"/out.* | jq -r '.ips[].address'; }
held() { "$plugin" leases --json --data-dir "$data" | jq length; }

for count in 64 256; do
	echo "$count ADDs at once on a new store, twice, then as many DELs"
	pool="\"ranges\":[{\"subnet\":\"10.$((count % 200)).0.0/16\"},{\"subnet\":\"fd00:$count::/64\"}],\"cooldown\":0"
	rm -rf "${data:?}" "$dir"/out.*
	all_at_once "$count" ADD "$pool"
	is $((2 * count)) "$(addresses | sort -u | wc -l)"
	cp "$dir/out.7" "$dir/first"
	all_at_once "$count" ADD "$pool"
	is "$(<"$dir/first")" "$(<"$dir/out.7")"
	is $((2 * count)) "$(held)"
	all_at_once "$count" DEL "$pool"
	is 0 "$(held)"
done

echo "ADD and DEL of one attachment, GC and reclaim, all mixed: at the end nobody has another's address"
pool='"subnet":"10.9.0.0/24","cooldown":0'
ipam "$pool" >"$dir/conf"
jq '."cni.dev/valid-attachments" = []' "$dir/conf" >"$dir/gc"
for ((i = 0; i < 40; i++)); do
	call ADD "m$((i % 5))" <"$dir/conf" >/dev/null &
	call DEL "m$((i % 7))" <"$dir/conf" >/dev/null &
	call GC "" <"$dir/gc" >/dev/null &
	"$plugin" reclaim --data-dir "$data" >/dev/null 2>&1 &
done
wait
is "" "$("$plugin" leases --json --data-dir "$data" | jq -r '[.[].address] | group_by(.)[] | select(length > 1)')"
call GC "" <"$dir/gc"
is 0 "$(held)"
is "254 0 254" "$("$plugin" pools --json --data-dir "$data" --pools-dir "$pools" |
	jq -r '.[] | select(.part | startswith("10.9.")) | "\(.size) \(.held) \(.free)"')"

if [[ -n ${LONG:-} ]]; then # it takes the deadline's 20 seconds
	echo "a lock that is held beyond the deadline is an error that names the holder"
	exec 9>>"$data/lock"
	flock 9
	refused 11 "was held by process" raw ADD late "$pool"
fi
