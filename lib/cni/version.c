/* SPDX-License-Identifier: Apache-2.0 */
#include "cni/version.h"

#include <errno.h>
#include <string.h>

const char *const cni_version_names[CNI_VERSION_COUNT] = {
	"0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0",
};

int cni_version_parse(const char *text, enum cni_version *ret, struct err *e)
{
	if (!*text) { /* specification 0.1.0 had no such key */
		*ret = CNI_VERSION_0_1_0;
		return 0;
	}
	for (int i = 0; i < CNI_VERSION_COUNT; i++)
		if (!strcmp(text, cni_version_names[i])) {
			*ret = (enum cni_version)i;
			return 0;
		}
	err_set(e, CNI_ERR_VERSION, 0, "cniVersion '%s' is not supported", text);
	err_details(e, "supported: 0.1.0, 0.2.0, 0.3.0, 0.3.1, 0.4.0, 1.0.0, 1.1.0");
	return -EINVAL;
}
