/* SPDX-License-Identifier: Apache-2.0 */
#include "vf/site.h"

#include "kernel/netns.h"
#include "kernel/sysfs.h"

#include <linux/netlink.h>
#include <unistd.h>

int vf_site_open(struct vf_site *ret, int pod_ns, struct err *e)
{
	struct vf_site site = VF_SITE_NONE;
	int r;

	site.pod_ns = pod_ns;
	r = site.sysfs = sysfs_open("/sys", e);
	if (r >= 0)
		r = site.host_ns = netns_open_own(e);
	if (r >= 0)
		r = netlink_open(&site.host, NETLINK_ROUTE, -1, -1, e);
	if (r >= 0 && pod_ns >= 0)
		r = netlink_open(&site.pod, NETLINK_ROUTE, pod_ns, site.host_ns, e);
	if (r < 0) {
		vf_site_close(&site);
		return r;
	}
	*ret = site;
	return 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void vf_site_close(struct vf_site *site)
{
	netlink_close(&site->rdma_pod);
	netlink_close(&site->rdma_host);
	netlink_close(&site->pod);
	netlink_close(&site->host);
	close_fd(&site->pod_ns);
	close_fd(&site->host_ns);
	close_fd(&site->sysfs);
}

int vf_site_rdma(struct vf_site *site, bool pod, struct netlink **ret, struct err *e)
{
	struct netlink *nl = pod ? &site->rdma_pod : &site->rdma_host;
	int r = 0;

	if (!netlink_is_open(nl))
		r = netlink_open(nl, NETLINK_RDMA, pod ? site->pod_ns : -1, site->host_ns, e);
	if (!r)
		*ret = nl;
	return r;
}
