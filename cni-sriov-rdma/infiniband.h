/* SPDX-License-Identifier: Apache-2.0 */
/* What ADD does otherwise for an InfiniBand VF. */
#pragma once

#include "conf.h"
#include "vf/vf.h"

/**
 * infiniband_check() - does what was asked for exist on the VF's kind of link?
 *
 * An InfiniBand PF grants a link state and GUIDs; an Ethernet one all but GUIDs.
 *
 * Errors: code 7, naming the key.
 */
int infiniband_check(const struct attach_conf *conf, const struct vf *vf, struct err *e);

/**
 * infiniband_want() - put the GUID into an attachment's two states, with what goes with it
 * @before: as observed; without a GUID in the configuration, the VF's are not this attachment's to restore
 * @want: to be completed
 */
void infiniband_want(const struct attach_conf *conf, const struct vf *vf, struct vf_state *before,
		     struct vf_state *want);
