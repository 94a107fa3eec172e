/* SPDX-License-Identifier: Apache-2.0 */
/* Undoing what the plugins whose names we serve have attached before they were replaced. */
#pragma once

#include "conf.h"

/**
 * legacy_undo() - DEL of an attachment of which the plugin before has kept its state
 *
 * Its file, below /var/lib/cni/sriov, ib-sriov or rdma, is removed last, so that the runtime's retry works. A VF that
 * somebody else has by now is left alone; so is one when the state is of an earlier boot. A damaged file is set aside.
 * Return: 0, also when there is no such file; errors as way_back().
 */
int legacy_undo(const struct cni_call *call, const struct attach_conf *conf, struct err *e);

/**
 * legacy_settle() - before an ADD: undo what an attachment left behind whose pod is gone, and whose DEL has not come
 * @bdf: the VF, whose lock the caller holds
 * Return: 0, or 1 when there was something, as claim_record(); errors as way_back().
 */
int legacy_settle(const struct cni_call *call, const char *bdf, struct err *e);
