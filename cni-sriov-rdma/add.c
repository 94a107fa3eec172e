/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ADD: observe, write the record, converge; on any error the way back.
 *
 * Nothing is changed before the record is written, so whatever interrupts this, at any instruction, leaves
 * either no change or a record that DEL, GC, repair or the next ADD of the VF can finish.
 */
#include "verbs.h"

#include "addressing.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "claim.h"
#include "cni/result.h"
#include "conf.h"
#include "device_info.h"
#include "infiniband.h"
#include "ipam.h"
#include "kernel/netns.h"
#include "kernel/roce.h"
#include "legacy_undo.h"
#include "pod_sysctl.h"
#include "rdma_mode.h"
#include "ready.h"
#include "record.h"
#include "source_routing.h"
#include "uverbs.h"
#include "vf/converge.h"
#include "vf/observe.h"
#include "way_back.h"
#include "workload.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define CARRIER_MS \
	1000 /* a bound for the announcement only: an attach does not fail for a late carrier */
#define POLL_MS 1

/* One ADD on its way. */
struct add {
	const struct cni_call *call;
	struct attach_conf conf;
	int store;
	int lock; /* on the VF */
	struct vf_site site;
	struct netns_id pod;
	struct vf vf;
	struct vf_state now;
	struct record record;
	struct cni_result prev; /* of the plugins before this one in a chain */
	struct cni_result result;
};

static void add_done(struct add *a)
{
	cni_result_done(&a->prev);
	cni_result_done(&a->result);
	record_done(&a->record);
	vf_site_close(&a->site);
	cleanup_close(&a->lock);
	cleanup_close(&a->store);
}

/* A VF belongs to one attachment. */
static int claim_vf(struct add *a, struct err *e)
{
	int r;

	r = vf_find(a->site.sysfs, &a->site.host, a->conf.device_id, &a->vf, e);
	if (r)
		return r;
	r = a->lock = sysfs_pci_lock(a->site.sysfs, a->vf.bdf, VF_LOCK_MS, e);
	if (r < 0)
		return r;
	r = claim_record(a->store, a->vf.bdf, a->call, e);
	r = r ?: legacy_settle(a->call, a->vf.bdf, e);
	return r > 0 ? vf_find(a->site.sysfs, &a->site.host, a->conf.device_id, &a->vf, e) : r;
}

static int observe_before(struct add *a, struct err *e)
{
	struct link taken;
	int r;

	r = vf_observe(&a->site, &a->vf, VF_LINK | VF_PF | VF_RDMA, &a->now, e);
	if (!r) /* a pod that has just ended may have had it */
		r = vf_await_home(&a->site, &a->vf, &a->now, e);
	if (r)
		return r;
	if ((a->now.fields & VF_NETNS) && a->now.place != VF_HOST)
		return err_set(
			e, CNI_ERR_AGAIN, EBUSY,
			"VF %s: its interface is in another network namespace, and no attachment of it "
			"is recorded",
			a->vf.bdf);
	if (!(a->now.fields & VF_LINK) && !a->vf.userspace)
		return err_set(e, CNI_ERR_CONFIG, ENODEV,
			       "deviceID %s has no network interface (driver: %s)", a->vf.bdf,
			       a->vf.driver[0] ? a->vf.driver : "none");
	if ((a->now.fields & VF_LINK) && !link_get(&a->site.pod, 0, a->call->env.ifname, &taken))
		return err_set(e, CNI_ERR_ENV, EEXIST, "CNI_IFNAME %s in %s", a->call->env.ifname,
			       a->call->env.netns);
	return 0;
}

static int want_rdma(struct add *a, struct vf_state *want, struct err *e)
{
	bool move;
	int r = rdma_plan(&a->site, &a->conf, &a->now, &move, e);

	if (r && a->conf.rdma_lenient && !err_is_shortage(r)) {
		log_warning("VF %s: its RDMA device stays where it is: %s", a->vf.bdf, e->msg);
		a->now.fields &= ~(unsigned int)VF_RDMA;
		a->now.rdma_count = 0;
		return 0;
	}
	if (r || !a->now.rdma_count)
		return r;
	/* rdma-cni looks for the device on the host, and fails when it has been moved already */
	if (move && a->conf.rdma_lenient && plugin_rdma_is_foreign(a->call->env.path))
		return 0;
	want->fields |= VF_RDMA;
	want->rdma_count = a->now.rdma_count;
	memcpy(want->rdma, a->now.rdma, sizeof(want->rdma));
	for (unsigned int i = 0; i < want->rdma_count; i++)
		want->rdma[i].place = move ? VF_POD : VF_HOST;
	return 0;
}

/* Configuration and present state to the wanted state. */
static int want_state(struct add *a, struct vf_state *want, struct err *e)
{
	int r;

	*want = a->conf.want;
	r = infiniband_check(&a->conf, &a->vf, e);
	if (r)
		return r;
	if (!a->conf.has_min_rate)
		want->pf.min_rate = a->now.pf.min_rate;
	if (!a->conf.has_max_rate)
		want->pf.max_rate = a->now.pf.max_rate;
	if ((want->fields & VF_MTU) && want->mtu > a->vf.pf_mtu)
		return err_set(e, CNI_ERR_CONFIG, 0, "mtu: %u is above %u, the MTU of PF %s",
			       want->mtu, a->vf.pf_mtu, a->vf.pf_name);
	if (a->now.fields & VF_LINK) {
		want->fields |= VF_NETNS | VF_NAME | VF_FLAGS;
		want->place = VF_POD;
		want->flags = a->now.flags | IFF_UP;
		strcpy(want->name, a->call->env.ifname);
	} else {
		want->fields &=
			~(unsigned int)VF_LINK; /* user space sets the address and the MTU itself */
	}
	infiniband_want(&a->conf, &a->vf, &a->now, want);
	return want_rdma(a, want, e);
}

static int write_record(struct add *a, struct err *e)
{
	auto_close int lock = -1;
	struct vf_state want;
	int r = want_state(a, &want, e);

	if (!r)
		r = record_new(a->call, &a->vf, &a->pod, &a->now, &want, &a->record, e);
	if (!r && *a->conf.device_info)
		r = device_info_note(a->conf.device_info, &a->record, e);
	if (!r)
		r = workload_note(a->conf.workload_dir, &a->record, e);
	if (!r)
		r = pod_sysctl_note(&a->site, a->store, &a->conf, &a->record, &lock, e);
	if (!r)
		r = record_save(a->store, &a->record, e);
	return r;
}

/* The device goes home, and the attach on without it. */
static int leave_rdma(struct add *a, struct err *e)
{
	struct vf_state home = a->record.before;
	struct err ignored;

	log_warning("VF %s: its RDMA device stays behind: %s", a->vf.bdf, e->msg);
	home.fields &= VF_RDMA;
	vf_converge(&a->site, &a->vf, &a->now, &home, VF_RESTORE, &ignored);
	record_leave_rdma(&a->record);
	return record_save(a->store, &a->record, e);
}

/* All but up, so that nothing leaves before the settings are complete. */
static int move_in(struct add *a, struct err *e)
{
	struct vf_state down = a->record.want;
	int r;

	down.fields &= ~(unsigned int)VF_FLAGS;
	r = vf_converge(&a->site, &a->vf, &a->now, &down, VF_ATTACH, e);
	if (r && a->conf.rdma_lenient && !err_is_shortage(r) && vf_diff(&a->now, &down) & VF_RDMA) {
		r = leave_rdma(a, e);
		down.fields &= ~(unsigned int)VF_RDMA;
		r = r ?: vf_converge(&a->site, &a->vf, &a->now, &down, VF_ATTACH, e);
	}
	r = r ?: uverbs_check(&a->record.before, &a->now, a->conf.rdma_uverbs_changed, e);
	return r ?: pod_sysctl_apply(&a->site, &a->record, e);
}

/* Drivers sleep while they bring a link up (igbvf 30 ms), which is when the IPAM plugin works. */
static int bring_up(struct add *a, struct err *e)
{
	struct ipam ipam = { 0 };
	int r = ipam_add_start(a->call, &ipam, e);

	if (!r)
		r = vf_converge(&a->site, &a->vf, &a->now, &a->record.want, VF_ATTACH, e);
	if (r)
		ipam_abandon(&ipam);
	return r ?: ipam_add_finish(&ipam, a->call, &a->result, e);
}

static void await_carrier(struct add *a)
{
	uint64_t deadline = clock_ms() + CARRIER_MS;
	struct link l;

	while (!link_get(&a->site.pod, a->now.ifindex, NULL, &l) && !l.carrier &&
	       clock_ms() < deadline)
		clock_pause(POLL_MS);
}

static int set_addresses(struct add *a, struct err *e)
{
	int r;

	if (!a->result.ip_count || !(a->now.fields & VF_LINK))
		return 0;
	r = addressing_apply(&a->site, a->now.ifindex, a->now.name, &a->result,
			     !a->conf.source_routing, e);
	if (!r && a->conf.source_routing)
		r = source_routing_apply(&a->site, a->store, a->now.ifindex, &a->result, &a->record,
					 e);
	if (r)
		return r;
	if (a->vf.infiniband)
		return 0; /* nothing is announced there */
	await_carrier(a);
	addressing_announce(&a->site, a->now.ifindex, &a->now.mac, &a->result);
	return 0;
}

/* A pod whose RDMA is not ready runs, and talks TCP without a word: so look, and say it. */
static int await_rdma(struct add *a, struct err *e)
{
	json_auto_t *report = NULL;
	int r;

	if (!(a->record.want.fields & VF_RDMA) || !(a->now.fields & VF_LINK))
		return 0;
	r = ready_await(&a->site, &a->now, &a->result, a->conf.rdma_ready_ms, &report, e);
	if (report)
		json_object_set(a->record.root, "rdma", report);
	if (r == -ETIMEDOUT && a->conf.rdma_not_ready == FAULT_WARN) {
		log_warning("%s; %s", e->msg, e->details);
		r = 0;
	}
	if (!a->vf.infiniband && roce_better_mtu(a->now.mtu))
		log_warning("mtu: %u gives RDMA an MTU of %u; %u and more would give the next one",
			    a->now.mtu, roce_active_mtu(a->now.mtu), roce_better_mtu(a->now.mtu));
	return r;
}

/*
 * The IPAM's result, with the interface in front; recorded alone, told behind that of the chain so far.
 */
static int describe(struct add *a, json_t **ret_output, struct err *e)
{
	struct cni_interface *i = cni_result_add_interface(&a->result);
	bool has_link = a->now.fields & VF_LINK;
	json_auto_t *recorded = NULL, *output = NULL;
	int r;

	if (!i || !(i->sandbox = strdup(a->call->env.netns)))
		return err_set(e, CNI_ERR_IO, ENOMEM, "describe the attachment");
	strcpy(i->name, a->call->env.ifname);
	strcpy(i->pci_id, a->vf.bdf);
	hwaddr_format(has_link ? &a->now.mac : &a->now.pf.mac, i->mac);
	i->mtu = has_link ? a->now.mtu : a->vf.pf_mtu;
	for (size_t n = 0; n < a->result.ip_count; n++)
		a->result.ips[n].interface = 0;
	r = cni_result_join(&a->prev, &a->result, e);
	if (!r)
		r = cni_result_build(&a->prev, a->call->conf.version, false, &output, e);
	if (!r)
		r = cni_result_build(&a->result, CNI_VERSION_NEWEST, false, &recorded, e);
	if (!r)
		r = record_set_result(&a->record, recorded, e);
	if (!r)
		r = device_info_write(&a->record, &a->vf, &a->now, e);
	if (!r)
		r = record_save(a->store, &a->record, e);
	if (!r)
		r = workload_write(a->store, &a->record, e);
	if (!r)
		*ret_output = take_ptr(output);
	return r;
}

static int attach(struct add *a, json_t **ret_output, struct err *e)
{
	struct err back;
	int r;

	r = move_in(a, e);
	if (!r)
		r = bring_up(a, e);
	if (!r)
		r = set_addresses(a, e);
	if (!r)
		r = await_rdma(a, e);
	if (!r)
		r = describe(a, ret_output, e);
	if (r && way_back(&a->site, a->store, &a->record, &back))
		log_error(
			"the way back from a failed ADD is not complete, DEL or repair will finish it: %s",
			back.msg);
	return r;
}

/* Chains came with 0.3.0. */
static int read_prev_result(struct add *a, struct err *e)
{
	const struct cni_conf *conf = &a->call->conf;

	if (!conf->prev_result || conf->version < CNI_VERSION_0_3_0)
		return 0;
	return cni_result_parse(conf->prev_result, conf->version, &a->prev, e);
}

int attach_add(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	struct add a = { .call = call, .store = -1, .lock = -1, .site = VF_SITE_NONE };
	int r;

	r = attach_conf_parse(call, &a.conf, e);
	if (r)
		return r;
	log_open("cni-sriov-rdma", a.conf.log_level, a.conf.log_file);
	r = read_prev_result(&a, e);
	r = r ?: ipam_find(call, e);
	r = r ?: claim_pod(&call->env, &a.site, &a.pod, e);
	if (!r) {
		r = a.store = record_store_open(a.conf.data_dir, true, e);
		r = r < 0 ? r : claim_vf(&a, e);
	}
	if (!r)
		r = observe_before(&a, e);
	if (!r)
		r = write_record(&a, e);
	if (!r)
		r = attach(&a, ret_output, e);
	add_done(&a);
	return r;
}
