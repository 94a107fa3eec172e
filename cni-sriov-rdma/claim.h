/* SPDX-License-Identifier: Apache-2.0 */
/* What an ADD does before it changes anything: open the pod, and see that the VF is nobody else's. */
#pragma once

#include "cni/plugin.h"
#include "kernel/netns.h"
#include "vf/site.h"

/**
 * claim_pod() - open the attachment's namespace, and what is needed to look at both sides
 * @ret_id: the namespace's identity, for the record
 *
 * Errors: code 4 for a CNI_NETNS that is none, or the plugin's own (specification 1.1.0, section 2: a plugin must
 * not act on its own namespace unless it is told to). vf_site_close() closes it, also after a failure.
 */
int claim_pod(const struct cni_env *env, struct vf_site *ret, struct netns_id *ret_id,
	      struct err *e);

/**
 * claim_record() - see that no living attachment has a record of the VF, whose lock the caller holds
 *
 * The record of a pod that is gone, or of this very attachment begun before, goes its way back first; a damaged one
 * is set aside.
 *
 * Return: 0 when there was none; 1 when there was one, and there is none any more: then the VF may have another name
 * and its PF's driver another index; or code 11, naming the pod that has the VF.
 */
int claim_record(int store, const char *bdf, const struct cni_call *call, struct err *e);
