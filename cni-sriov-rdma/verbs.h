/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of the plugin, each a file of its name, and its command line. */
#pragma once

#include "cni/plugin.h"

cni_verb_fn attach_add, attach_del, attach_check, attach_gc, attach_status;

/* Those that differ for the name rdma, chained after whatever attached the interface. */
cni_verb_fn rdma_add, rdma_check;

/** attach_command() - "cni-sriov-rdma list", "repair", "rdma-mode"; returns the exit status */
int attach_command(int argc, char **argv);
