/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leases from what lives, when the store was damaged or lost: what is held must not be given again.
 *
 * Three sources, those first that know most:
 *
 * 1. cni-sriov-rdma's records, one file a VF: owner, namespace and addresses, also of VFs that have no
 *    interface (vfio-pci);
 * 2. libcni's cache of results, of this boot, which every runtime and Multus keeps for what it attached:
 *    owner and addresses;
 * 3. the addresses that are on interfaces in named namespaces: no owner, so the lease belongs to whoever
 *    calls DEL for that namespace and interface, and `reclaim` and GC release it when the namespace is gone.
 *
 * Too much does no harm but to keep an address from being given for a while. A source that is there but
 * cannot be read is an error, and nothing is rebuilt: the store stays unusable until a person has looked.
 */
#pragma once

#include "store.h"

/**
 * rebuild_leases() - tell all that shows which addresses are held on this node
 * @boot: this boot's id
 * @sink: is told each; a source that knows less may repeat what another has told
 *
 * Errors: 5, naming the file or directory that could not be read.
 */
int rebuild_leases(const char *boot, store_lease_fn *sink, void *arg, struct err *e);
