/* SPDX-License-Identifier: Apache-2.0 */
/* The IPAM plugin of an attachment: asked through the configuration's "ipam", which may be absent. */
#pragma once

#include "cni/delegate.h"
#include "cni/plugin.h"
#include "cni/result.h"
#include "record.h"

/** ipam_find() - is the plugin there? Asked before anything is changed; code 7 */
int ipam_find(const struct cni_call *call, struct err *e);

/* An IPAM plugin that may be running. */
struct ipam {
	bool runs;
	struct cni_delegate delegate;
};

/** ipam_add_start() - ask for addresses, and go on while the plugin works; without ipam nothing runs */
int ipam_add_start(const struct cni_call *call, struct ipam *ret, struct err *e);

/** ipam_add_finish() - take them; none is an error (code 6). Where nothing runs @ret stays empty. */
int ipam_add_finish(struct ipam *ipam, const struct cni_call *call, struct cni_result *ret,
		    struct err *e);

/** ipam_abandon() - wait for a plugin whose answer is of no use any more; the way back tells it DEL */
void ipam_abandon(struct ipam *ipam);

/** ipam_forward() - hand a call on: CHECK, DEL, GC, STATUS; the delegate's own error comes back */
int ipam_forward(const struct cni_call *call, struct err *e);

/** ipam_release_start() - DEL from a record, whoever asks for it, and go on while the plugin works */
int ipam_release_start(const struct record *record, struct ipam *ret, struct err *e);

/**
 * ipam_release_finish() - wait for it; where nothing runs, nothing is done
 *
 * A plugin that is gone, or that refuses the configuration itself, will do so at each retry: then it has given out
 * nothing, or nobody can take it back, and a VF must not be blocked by it for ever. That is a warning.
 */
int ipam_release_finish(struct ipam *ipam, const struct record *record, struct err *e);
