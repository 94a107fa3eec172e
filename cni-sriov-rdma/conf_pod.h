/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "conf.h"

/** pod_conf_parse() - the keys about the pod's network namespace; for attach_conf_parse() */
int pod_conf_parse(const struct cni_call *call, struct attach_conf *c, struct err *e);
