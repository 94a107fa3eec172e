/* SPDX-License-Identifier: Apache-2.0 */
/* The names that the plugin is installed under: each is a plugin that people use, and behaves as that does. */
#pragma once

#include "cni/plugin.h"

enum plugin_name {
	NAME_OWN, /* cni-sriov-rdma, and any name that is none of the others */
	NAME_SRIOV, /* sriov-cni: the VF; its RDMA device comes along where it can */
	NAME_IB_SRIOV, /* ib-sriov-cni: the same with InfiniBand's GUIDs */
	NAME_RDMA, /* rdma-cni: the RDMA device of what an earlier plugin of the chain attached */
};

/**
 * plugin_name_of() - as which plugin is this call to be served?
 *
 * The configuration's type says it: it is what the user wrote, and by which a runtime finds the program. The program's
 * name counts when the type is none of ours: one that is absent, or a delegating plugin's own.
 */
enum plugin_name plugin_name_of(const struct cni_call *call);

/**
 * plugin_rdma_is_foreign() - would a chained "rdma" be another program than this one?
 * @cni_path: where a runtime looks for it
 *
 * A copy of this program has its size; one of another version of it may be taken for a foreign one, which is safe.
 * Return: false also when there is none.
 */
bool plugin_rdma_is_foreign(const char *cni_path);
