# SPDX-License-Identifier: Apache-2.0
# The fault sweep, long form: at each point of ADD, DEL, GC and repair each plausible error and each kind of kill; then one
# error at each call that takes a descriptor, memory, a lock or a process, or looks at something.
# lab: long --timeout 10800
# limit: 10500
. "$REPO/tests/sweep/node.sh"
node_for_sweep
sweep --long
sweep --classes resource,read
node_after_sweep
