/* SPDX-License-Identifier: Apache-2.0 */
/* Where a VF can be: this program's namespace and the attachment's, each seen through its own sockets. */
#pragma once

#include "base/err.h"
#include "kernel/netlink.h"

struct vf_site {
	int sysfs;
	int locks; /* directory of the locks on PFs and on RDMA moves; borrowed */
	int host_ns; /* this program's namespace, called the host's */
	int pod_ns; /* the attachment's; -1 = it is gone */
	struct netlink host, pod; /* rtnetlink; pod.sock is NULL when it is gone */
	struct netlink rdma_host,
		rdma_pod; /* opened when first needed: a VF may have no RDMA device */
};

/**
 * vf_site_open() - open what is needed to look at a VF
 * @pod_ns: taken over, also on failure; -1 when the namespace is gone
 */
int vf_site_open(struct vf_site *ret, int pod_ns, struct err *e);

void vf_site_close(struct vf_site *site);
#define auto_vf_site __attribute__((cleanup(vf_site_close)))
#define VF_SITE_NONE                                     \
	{                                                \
		.sysfs = -1, .host_ns = -1, .pod_ns = -1 \
	}

/** vf_site_rdma() - the RDMA netlink socket of the host or the pod */
int vf_site_rdma(struct vf_site *site, bool pod, struct netlink **ret, struct err *e);
