/* SPDX-License-Identifier: Apache-2.0 */
/* STATUS: can an ADD be served? If not, code 50 and the reason. */
#include "verbs.h"

#include "base/cleanup.h"
#include "conf.h"
#include "ipam.h"
#include "kernel/rdma.h"
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <unistd.h>

static int check_store(const struct attach_conf *conf, struct err *e)
{
	auto_close int store = record_store_open_named(conf->data_dir, conf->records, true, e);

	if (store < 0)
		return store;
	if (faccessat(store, ".", W_OK, 0))
		return err_set(e, CNI_ERR_UNAVAILABLE, errno, "write to the state directory %s",
			       conf->data_dir);
	return 0;
}

/* No RDMA subsystem at all is no hindrance: a VF without an RDMA device is an ordinary VF. */
static int check_rdma(const struct attach_conf *conf, struct err *e)
{
	auto_netlink struct netlink nl = { 0 };
	bool exclusive;

	if (conf->rdma_mode == RDMA_KEEP || conf->rdma_mode == RDMA_STAY)
		return 0;
	if (netlink_open(&nl, NETLINK_RDMA, -1, -1, e) || rdma_mode_get(&nl, &exclusive))
		return conf->rdma_required
			       ? err_set(e, CNI_ERR_UNAVAILABLE, 0,
					 "rdma.required: this node has no RDMA subsystem (is ib_core loaded?)")
			       : 0;
	if (exclusive == (conf->rdma_mode == RDMA_EXCLUSIVE))
		return 0;
	err_set(e, CNI_ERR_UNAVAILABLE, 0,
		"rdma.netnsMode: the RDMA subsystem is in %s mode, and the configuration wants %s",
		exclusive ? "exclusive" : "shared", exclusive ? "shared" : "exclusive");
	err_details(e, "cni-sriov-rdma rdma-mode %s, at boot before the first pod starts",
		    exclusive ? "shared" : "exclusive");
	return -EINVAL;
}

int attach_status(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	struct attach_conf conf;
	int r = attach_conf_parse(call, &conf, e);

	(void)ret_output;
	if (r)
		return r;
	r = check_store(&conf, e);
	r = r ?: check_rdma(&conf, e);
	if (r) {
		e->code = CNI_ERR_UNAVAILABLE;
		return r;
	}
	return ipam_forward(call, e); /* with the delegate's own code */
}
