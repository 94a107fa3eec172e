/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include "base/cleanup.h"
#include "cni/delegate.h"

#include <string.h>
#include <sys/stat.h>

static bool name_find(const char *text, enum plugin_name *ret)
{
	static const char *const names[] = { [NAME_OWN] = "cni-sriov-rdma",
					     [NAME_SRIOV] = "sriov",
					     [NAME_IB_SRIOV] = "ib-sriov",
					     [NAME_RDMA] = "rdma" };

	for (unsigned int i = 0; text && i < array_size(names); i++)
		if (!strcmp(text, names[i])) {
			*ret = (enum plugin_name)i;
			return true;
		}
	return false;
}

enum plugin_name plugin_name_of(const struct cni_call *call)
{
	enum plugin_name name = NAME_OWN;

	if (!name_find(call->conf.type, &name))
		name_find(call->program, &name);
	return name;
}

bool plugin_rdma_is_foreign(const char *cni_path)
{
	char file[PATH_MAX];
	struct stat found, own;
	struct err ignored;

	if (cni_delegate_find(cni_path, "rdma", file, &ignored) || stat(file, &found))
		return false;
	return stat("/proc/self/exe", &own) || own.st_size != found.st_size;
}
