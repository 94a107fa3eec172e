# SPDX-License-Identifier: Apache-2.0
# Twelve pods want 7 of the lab's VFs, on two PFs, all at once, with kills, two DELs at once, ADD and DEL at once, late DELs, GC
# and repair. See tests/sweep/storm.c, and concurrent-long.sh; the seed is printed.
# lab: --timeout 400 --cpus 2
# limit: 330
. "$REPO/tests/sweep/node.sh"
node_for_storm
storm --seconds 45 --pods 12 --seed "${STORM_SEED:-$RANDOM}"
rdma_setup # verbs devices may have changed numbers
