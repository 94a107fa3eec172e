/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs of the plugin, each a file of its name, and its command line. */
#pragma once

#include "cni/plugin.h"

cni_verb_fn attach_add, attach_del, attach_check, attach_gc, attach_status;

/** attach_command() - "cni-sriov-rdma list", "repair", "rdma-mode"; returns the exit status */
int attach_command(int argc, char **argv);
