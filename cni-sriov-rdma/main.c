/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "names.h"
#include "verbs.h"

/*
 * The name rdma has verbs of its own where the others look at the interface. An IPAM plugin it never calls: the first of
 * its chain has asked for the addresses.
 */
static int serve(const struct cni_call *call, cni_verb_fn *attach, cni_verb_fn *rdma,
		 json_t **ret_output, struct err *e)
{
	json_auto_t *root = NULL;
	struct cni_call chained;

	if (plugin_name_of(call) != NAME_RDMA)
		return attach(call, ret_output, e);
	chained = *call;
	chained.conf.root = root = json_copy(call->conf.root);
	chained.conf.ipam = NULL;
	json_object_del(root, "ipam");
	return rdma(&chained, ret_output, e);
}

static int add(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	return serve(call, attach_add, rdma_add, ret_output, e);
}

static int del(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	return serve(call, attach_del, attach_del, ret_output, e);
}

static int check(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	return serve(call, attach_check, rdma_check, ret_output, e);
}

static int gc(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	return serve(call, attach_gc, attach_gc, ret_output, e);
}

static int status(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	return serve(call, attach_status, attach_status, ret_output, e);
}

int main(int argc, char **argv)
{
	static const struct cni_plugin plugin = {
		.name = "cni-sriov-rdma",
		.about = "cni-sriov-rdma " PROJECT_VERSION
			 ": CNI plugin that moves an SR-IOV VF and its RDMA device into a pod",
		.add = add,
		.del = del,
		.check = check,
		.gc = gc,
		.status = status,
		.command = attach_command,
	};

	return cni_main(&plugin, argc, argv);
}
