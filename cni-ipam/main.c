/* SPDX-License-Identifier: Apache-2.0 */
#include "cni/plugin.h"
#include "verbs.h"

int main(int argc, char **argv)
{
	static const struct cni_plugin plugin = {
		.name = "cni-ipam",
		.about = "cni-ipam " PROJECT_VERSION ": CNI IPAM plugin, node-local address pools; "
			 "cni-ipam --help tells about its commands",
		.add = verb_add,
		.del = verb_del,
		.check = verb_check,
		.gc = verb_gc,
		.status = verb_status,
		.command = cli_main,
	};

	return cni_main(&plugin, argc, argv);
}
