# SPDX-License-Identifier: Apache-2.0
# As concurrent.sh, with 7 VFs on each of two PFs, 18 pods, four times, and for longer.
# lab: long --timeout 3000 --cpus 2
# limit: 2900
. "$REPO/tests/sweep/node.sh"
node_for_big_storm
for _ in 1 2 3 4; do
	storm --all --seconds 240 --pods 18 --seed "${STORM_SEED:-$RANDOM}"
done
node_after_big_storm
