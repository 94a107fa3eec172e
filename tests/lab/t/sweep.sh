# SPDX-License-Identifier: Apache-2.0
# The fault sweep, short form: at each point of ADD, DEL, GC and repair one error and one kill, of which a run takes a
# third, by chance; and one error at a sixteenth of the calls that take a descriptor or memory, or look at something; and
# mistakes that are planted are caught. See tests/sweep/sweep.c, and sweep-long.sh.
# lab: --timeout 700
# limit: 600
. "$REPO/tests/sweep/node.sh"
node_for_sweep
sweep --part "${SWEEP_PART:-$((RANDOM % 3))}/3"
sweep --classes resource,read --part "${SWEEP_PART:-$((RANDOM % 16))}/16"
sweep --planted
node_after_sweep
