/* SPDX-License-Identifier: Apache-2.0 */
/* The versions of the CNI specification that are spoken here. */
#pragma once

#include "base/err.h"

enum cni_version {
	CNI_VERSION_0_1_0,
	CNI_VERSION_0_2_0,
	CNI_VERSION_0_3_0,
	CNI_VERSION_0_3_1,
	CNI_VERSION_0_4_0,
	CNI_VERSION_1_0_0,
	CNI_VERSION_1_1_0,
	CNI_VERSION_COUNT,
	CNI_VERSION_NEWEST = CNI_VERSION_COUNT - 1,
};

extern const char *const cni_version_names[CNI_VERSION_COUNT];

/** cni_version_parse() - code 1 names the version and lists the supported ones; "" means 0.1.0 */
int cni_version_parse(const char *text, enum cni_version *ret, struct err *e);
