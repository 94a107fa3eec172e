/* SPDX-License-Identifier: Apache-2.0 */
#include "ready.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "kernel/roce.h"
#include "kernel/sysfs_rdma.h"

#include <errno.h>
#include <string.h>

#define POLL_MS 1

/* VFs have one port, and IBTA numbers from 1. */
#define PORT 1

static int look_at_port(int sysfs, const struct vf_rdma *dev, json_t *report, struct err *e)
{
	char state[SYSFS_NAME_MAX];

	if (sysfs_rdma_port_state(sysfs, dev->name, PORT, state))
		strcpy(state, "unknown");
	json_object_set_new(report, "state", json_string(state));
	if (!strcmp(state, "ACTIVE")) /* ACTIVE_DEFER is not it */
		return 0;
	err_set(e, CNI_ERR_KERNEL, ETIMEDOUT, "port %d of RDMA device %s is %s, not ACTIVE", PORT,
		dev->name, state);
	err_details(e, "is the PF up, its cable in, and the switch's port enabled?");
	return -EAGAIN;
}

static int look_at_gids(int sysfs, const struct vf_rdma *dev, const char *ifname,
			const struct cni_result *result, json_t *report, struct err *e)
{
	json_t *gids = json_array();
	char text[INET_TEXT];
	int ret = 0;

	json_object_set_new(report, "gids", gids);
	for (size_t i = 0; i < result->ip_count; i++) {
		const struct inet_addr *address = &result->ips[i].address.addr;
		int index = sysfs_rdma_gid_find(sysfs, dev->name, PORT, address, ifname);

		inet_addr_format(address, text);
		if (index >= 0) {
			json_array_append_new(gids, json_pack("{s:s, s:i, s:s}", "address", text,
							      "index", index, "type", "RoCE v2"));
			continue;
		}
		err_set(e, CNI_ERR_KERNEL, ETIMEDOUT, "RDMA device %s has no RoCE v2 GID for %s",
			dev->name, text);
		err_details(
			e, "is it the device of %s (rdma link), and does its driver speak RoCE v2?",
			ifname);
		ret = -EAGAIN;
	}
	return ret;
}

static int look_at_device(int sysfs, const struct vf_rdma *dev, const struct vf_state *now,
			  const struct cni_result *result, json_t *devices, struct err *e)
{
	json_t *report = json_pack("{s:s, s:i, s:i}", "device", dev->name, "port", PORT, "uverbs",
				   dev->uverbs);
	bool ethernet = false;
	int r = look_at_port(sysfs, dev, report, e);

	int layer = sysfs_rdma_link_layer(sysfs, dev->name, PORT, &ethernet);

	json_array_append_new(devices, report);
	if (layer) {
		err_set(e, CNI_ERR_IO, layer, "read the link layer of RDMA device %s", dev->name);
		return -EAGAIN;
	}
	if (!ethernet)
		return r;
	json_object_set_new(report, "activeMtu", json_integer(roce_active_mtu(now->mtu)));
	return r ? r : look_at_gids(sysfs, dev, now->name, result, report, e);
}

/* The devices that moved show in the pod's sysfs, the others in the host's. */
static int look_at_all(int host, int pod, const struct vf_state *now,
		       const struct cni_result *result, json_t *devices, struct err *e)
{
	int r = 0;

	for (unsigned int i = 0; !r && i < now->rdma_count; i++) {
		const struct vf_rdma *dev = &now->rdma[i];

		r = look_at_device(dev->place == VF_POD ? pod : host, dev, now, result, devices, e);
	}
	return r;
}

int ready_await(struct vf_site *site, const struct vf_state *now, const struct cni_result *result,
		unsigned int timeout_ms, json_t **ret_report, struct err *e)
{
	uint64_t deadline = clock_ms() + timeout_ms;
	auto_close int pod = sysfs_open_in(site->pod_ns, site->host_ns, e);
	json_t *devices;
	int r;

	if (pod < 0)
		return pod;
	for (;;) {
		devices = json_array();
		r = look_at_all(site->sysfs, pod, now, result, devices, e);
		if (r != -EAGAIN || clock_ms() >= deadline)
			break;
		json_decref(devices);
		clock_pause(POLL_MS);
	}
	*ret_report = devices;
	return r == -EAGAIN ? -ETIMEDOUT : r;
}
