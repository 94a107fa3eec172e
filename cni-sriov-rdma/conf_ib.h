/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of an InfiniBand VF, as ib-sriov-cni takes them; a part of attach_conf_parse(). */
#pragma once

#include "conf.h"

/**
 * conf_ib_parse() - read and check infinibandGUID, guid, pkey, rdmaIsolation, ibKubernetesEnabled
 *
 * The GUID comes from runtimeConfig.infinibandGUID, else args.cni.guid. pkey is ib-kubernetes's, and only checked.
 *
 * Errors: code 7 with key, value and what is allowed; code 11 when ib-kubernetes, which must have been there before,
 * has not been yet.
 */
int conf_ib_parse(const struct cni_call *call, struct attach_conf *c, struct err *e);
