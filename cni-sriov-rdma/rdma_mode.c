/* SPDX-License-Identifier: Apache-2.0 */
#include "rdma_mode.h"

#include "base/file.h"
#include "base/log.h"
#include "kernel/netns.h"
#include "kernel/rdma.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

static const char *mode_name(bool exclusive)
{
	return exclusive ? "exclusive" : "shared";
}

int rdma_mode_ensure(struct netlink *rdma, bool exclusive, struct err *e)
{
	bool now;
	int r = rdma_mode_get(rdma, &now);

	if (r)
		return netlink_err(rdma, e, r, "read the RDMA subsystem's network namespace mode");
	if (now == exclusive)
		return 0;
	r = rdma_mode_set(rdma, exclusive);
	if (!r) {
		log_info("switched the RDMA subsystem to %s network namespace mode",
			 mode_name(exclusive));
		return 0;
	}
	netlink_err(rdma, e, r, "RDMA netns mode is %s; switch it to %s", mode_name(now),
		    mode_name(exclusive));
	if (r == -EBUSY)
		err_details(
			e,
			"the kernel switches only while no other network namespace exists, and this node has "
			"%u; put \"options ib_core netns_mode=%d\" into a file in /etc/modprobe.d and reboot, "
			"or run \"cni-sriov-rdma rdma-mode %s\" at boot before the first pod starts",
			netns_count(), exclusive ? 0 : 1, mode_name(exclusive));
	return r;
}

/* "123 (ib_write_bw)" */
static const char *process_name(uint32_t pid, char *buf, size_t size)
{
	char path[32], comm[32] = "";

	if (!pid) {
		snprintf(buf, size, "of another PID namespace");
		return buf;
	}
	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	if (file_read_line(AT_FDCWD, path, comm, sizeof(comm)) < 0)
		comm[0] = '\0';
	snprintf(buf, size, "%u (%s)", pid, comm);
	return buf;
}

/* A move takes the device away from who has it open (IBV_EVENT_DEVICE_FATAL); the kernel does not refuse it. */
static int check_unused(struct netlink *nl, const struct attach_conf *conf,
			const struct vf_rdma *rdma, struct err *e)
{
	char process[64];
	uint32_t pid;
	int r = rdma->id ? rdma_dev_user(nl, rdma->id - 1, &pid) : -ENOENT;

	if (err_is_shortage(r))
		return netlink_err(nl, e, r, "ask who has RDMA device %s open", rdma->name);
	if (r)
		return 0; /* nobody, as far as can be seen: Linux before 5.13 does not tell */
	err_set(e, CNI_ERR_AGAIN, EBUSY, "RDMA device %s is open in process %s", rdma->name,
		process_name(pid, process, sizeof(process)));
	err_details(e,
		    "it loses the device when that moves into the pod: let it use others, or set "
		    "rdma.onBusy to \"warn\"");
	if (conf->rdma_busy == FAULT_FAIL)
		return -EBUSY;
	log_warning("%s, and moves into the pod", e->msg);
	return 0;
}

int rdma_plan(struct vf_site *site, const struct attach_conf *conf, const struct vf_state *before,
	      bool *ret_move, struct err *e)
{
	struct netlink *nl;
	bool exclusive;
	int r;

	*ret_move = false;
	if (!before->rdma_count) {
		if (conf->rdma_required)
			return err_set(
				e, CNI_ERR_CONFIG, 0,
				"rdma.required: the VF has no RDMA device; is its driver's RDMA module "
				"loaded?");
		return 0;
	}
	for (unsigned int i = 0; i < before->rdma_count; i++)
		if (before->rdma[i].place != VF_HOST)
			return err_set(e, CNI_ERR_AGAIN, 0,
				       "RDMA device %s is in another network namespace",
				       before->rdma[i].name);
	r = vf_site_rdma(site, false, &nl, e);
	if (r)
		return r;
	if (conf->rdma_mode == RDMA_STAY)
		return 0;
	if (conf->rdma_mode == RDMA_KEEP) {
		r = rdma_mode_get(nl, &exclusive);
		if (r)
			return netlink_err(nl, e, r,
					   "read the RDMA subsystem's network namespace mode");
	} else {
		exclusive = conf->rdma_mode == RDMA_EXCLUSIVE;
		r = rdma_mode_ensure(nl, exclusive, e);
	}
	for (unsigned int i = 0; !r && exclusive && i < before->rdma_count; i++)
		r = check_unused(nl, conf, &before->rdma[i], e);
	if (!r)
		*ret_move = exclusive;
	return r;
}
