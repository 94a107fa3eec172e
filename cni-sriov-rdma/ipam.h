/* SPDX-License-Identifier: Apache-2.0 */
/* The IPAM plugin of an attachment: asked through the configuration's "ipam", which may be absent. */
#pragma once

#include "cni/plugin.h"
#include "cni/result.h"
#include "record.h"

/** ipam_find() - is the plugin there? Asked before anything is changed; code 7 */
int ipam_find(const struct cni_call *call, struct err *e);

/** ipam_add() - ask for addresses; none is an error (code 6). Without ipam @ret stays empty. */
int ipam_add(const struct cni_call *call, struct cni_result *ret, struct err *e);

/** ipam_forward() - hand a call on: CHECK, DEL, GC, STATUS; the delegate's own error comes back */
int ipam_forward(const struct cni_call *call, struct err *e);

/**
 * ipam_release() - DEL from a record, whoever asks for it
 *
 * A plugin that is gone, or that refuses the configuration itself, will do so at each retry: then it has given out
 * nothing, or nobody can take it back, and a VF must not be blocked by it for ever. That is a warning.
 */
int ipam_release(const struct record *record, struct err *e);
