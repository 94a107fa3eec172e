/* SPDX-License-Identifier: Apache-2.0 */
/* The keys about the pod's network namespace. */
#include "conf_pod.h"

#include "cni/field.h"
#include "pod_sysctl.h"
#include "workload_path.h"

int pod_conf_parse(const struct cni_call *call, struct attach_conf *c, struct err *e)
{
	json_t *root = call->conf.root;
	int r = cni_json_object(root, "", "sysctl", &c->sysctl, e);

	r = r ?: pod_sysctl_check_conf(c->sysctl, call->env.ifname, e);
	r = r ?: cni_json_bool(root, "", "sourceRouting", &c->source_routing, e);
	r = r
		    ?: cni_json_str(json_object_get(root, "rdma"), "rdma.", "workloadDir",
				    &c->workload_dir, e);
	return r || !*c->workload_dir ? r : workload_path_check(c->workload_dir, e);
}
