/* SPDX-License-Identifier: Apache-2.0 */
/* The CNI verbs (cni/plugin.h), and the command line. */
#pragma once

#include "cni/plugin.h"

cni_verb_fn verb_add;
cni_verb_fn verb_del;
cni_verb_fn verb_check;
cni_verb_fn verb_gc;
cni_verb_fn verb_status;

int cli_main(int argc, char **argv);
