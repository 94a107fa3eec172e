/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leases from what lives, when the store was lost: what is held must not be given again.
 */
#pragma once

#include "store.h"

/**
 * rebuild_leases() - tell all that shows which addresses are held on this node
 * @boot: this boot's id
 * @sink: is told each; an address that it has already is to be left as it is, as the sources that
 *        know most come first
 */
int rebuild_leases(const char *boot, store_lease_fn *sink, void *arg, struct err *e);
