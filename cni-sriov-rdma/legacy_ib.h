/* SPDX-License-Identifier: Apache-2.0 */
/* What ib-sriov-cni does not write down of an attachment, and the VF tells. */
#pragma once

#include "legacy.h"

/**
 * legacy_ib_complete() - the driver, and the RDMA device's name, to what is to be restored
 *
 * A VF reads its GUIDs when its driver is bound; so that plugin binds it anew, and so is it done here. That makes the
 * RDMA device anew, too, and brings the VF home from a namespace that nobody knows of: DEL need not be told it, and no
 * file tells it, either.
 * Nothing is added for a VF that is gone, or that user space has.
 */
int legacy_ib_complete(struct legacy *l, struct err *e);

/**
 * legacy_ib_is_home() - are the VF's interface and its RDMA devices in this namespace?
 *
 * Then no pod has it. One whose namespace is being dismantled is waited for; without an interface nobody knows. 1, 0, or an
 * error.
 */
int legacy_ib_is_home(const char *bdf, struct err *e);
