/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ADD and CHECK under the name rdma: the RDMA devices of the PCI function whose interface an earlier plugin of the
 * chain attached, whichever plugin that was, go where the interface is.
 *
 * If that was this plugin (as sriov), they are there already, and there is nothing to do or to record: its own record
 * takes them back. Otherwise they get a record of their own, and are moved; DEL, GC and repair go the way back from it.
 */
#include "verbs.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "claim.h"
#include "cni/result.h"
#include "conf.h"
#include "kernel/link.h"
#include "rdma_mode.h"
#include "uverbs.h"
#include "vf/converge.h"
#include "vf/observe.h"
#include "way_back.h"

#include <errno.h>
#include <string.h>

struct chained {
	const struct cni_call *call;
	struct attach_conf conf;
	struct vf_site site;
	struct netns_id pod;
	struct vf vf;
	struct vf_state now;
	int store;
	int lock; /* on the function */
};

#define CHAINED_NONE                                                        \
	{                                                                   \
		.call = call, .site = VF_SITE_NONE, .store = -1, .lock = -1 \
	}

static void chained_done(struct chained *c)
{
	vf_site_close(&c->site);
	cleanup_close(&c->lock);
	cleanup_close(&c->store);
}

static const struct cni_interface *find_interface(const struct cni_result *prev, const char *ifname)
{
	for (size_t i = 0; i < prev->interface_count; i++)
		if (prev->interfaces[i].sandbox && !strcmp(prev->interfaces[i].name, ifname))
			return &prev->interfaces[i];
	return NULL;
}

/* The configuration's device, else the one that the result tells, else that of the interface in the pod. */
static int find_device(struct chained *c, struct err *e)
{
	auto_cni_result struct cni_result prev = { 0 };
	const char *ifname = c->call->env.ifname, *device = c->conf.device_id;
	const struct cni_interface *told;
	struct link l = { 0 };
	int r = 0;

	if (!c->call->conf.prev_result && c->call->env.verb == CNI_VERB_ADD)
		return err_set(e, CNI_ERR_CONFIG, 0,
			       "prevResult is missing: rdma works on what an earlier plugin of its "
			       "chain has attached");
	if (c->call->conf.prev_result)
		r = cni_result_parse(c->call->conf.prev_result, c->call->conf.version, &prev, e);
	if (r)
		return r;
	told = find_interface(&prev, ifname);
	if (!*device && told)
		device = told->pci_id;
	if (!*device && !link_get(&c->site.pod, 0, ifname, &l))
		device = l.parent;
	if (!*device)
		return err_set(
			e, CNI_ERR_CONFIG, 0,
			"deviceID is missing, and neither prevResult nor the interface %s in %s tells "
			"its PCI address",
			ifname, c->call->env.netns);
	return vf_find_function(c->site.sysfs, device, &c->vf, e);
}

static int look(struct chained *c, struct err *e)
{
	int r = vf_observe(&c->site, &c->vf, VF_RDMA, &c->now, e);

	if (!r) /* a pod that has just ended may have had them */
		r = vf_await_home(&c->site, &c->vf, &c->now, e);
	if (!r && !c->now.rdma_count)
		r = err_set(e, CNI_ERR_CONFIG, 0,
			    "PCI device %s has no RDMA device; is its driver's RDMA module loaded?",
			    c->vf.bdf);
	return r;
}

/* To where everything is the same for ADD and CHECK. */
static int begin(struct chained *c, struct err *e)
{
	struct netlink *nl;
	int r = attach_conf_parse(c->call, &c->conf, e);

	if (r)
		return r;
	log_open("cni-sriov-rdma", c->conf.log_level, c->conf.log_file);
	r = claim_pod(&c->call->env, &c->site, &c->pod, e);
	r = r ?: find_device(c, e);
	r = r ?: vf_site_rdma(&c->site, false, &nl, e);
	/* a pod exists, so the kernel will not switch it: this tells what to do */
	r = r ?: rdma_mode_ensure(nl, true, e);
	if (r)
		return r;
	r = c->lock = sysfs_pci_lock(c->site.sysfs, c->vf.bdf, VF_LOCK_MS, e);
	return r < 0 ? r : look(c, e);
}

static const struct vf_rdma *find_outside_pod(const struct vf_state *now)
{
	for (unsigned int i = 0; i < now->rdma_count; i++)
		if (now->rdma[i].place != VF_POD)
			return &now->rdma[i];
	return NULL;
}

static int claim_devices(struct chained *c, struct err *e)
{
	int r = c->store = record_store_open_named(c->conf.data_dir, c->conf.records, true, e);

	r = r < 0 ? r : claim_record(c->store, c->vf.bdf, c->call, e);
	r = r > 0 ? look(c, e) : r;
	for (unsigned int i = 0; !r && i < c->now.rdma_count; i++)
		if (c->now.rdma[i].place == VF_ELSEWHERE)
			r = err_set(e, CNI_ERR_AGAIN, EBUSY,
				    "RDMA device %s is in another network namespace",
				    c->now.rdma[i].name);
	return r;
}

static int move(struct chained *c, struct record *record, struct err *e)
{
	int r = record_save(c->store, record, e);

	if (r)
		return r;
	r = vf_converge(&c->site, &c->vf, &c->now, &record->want, VF_ATTACH, e);
	r = r ?: uverbs_check(&record->before, &c->now, c->conf.rdma_uverbs_changed, e);
	r = r ?: record_set_result(record, c->call->conf.prev_result, e);
	return r ?: record_save(c->store, record, e);
}

static int move_devices(struct chained *c, struct err *e)
{
	auto_record struct record record = { 0 };
	struct vf_state want = c->now;
	struct err back;
	int r;

	for (unsigned int i = 0; i < want.rdma_count; i++)
		want.rdma[i].place = VF_POD;
	r = record_new(c->call, &c->vf, &c->pod, &c->now, &want, &record, e);
	if (r)
		return r;
	r = move(c, &record, e);
	if (r && way_back(&c->site, c->store, &record, &back))
		log_error(
			"the way back from a failed ADD is not complete, DEL or repair will finish it: %s",
			back.msg);
	return r;
}

/* As it came, with what is not known here; but in the version of the call. */
static int pass_on(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	auto_cni_result struct cni_result prev = { 0 };
	json_t *told = call->conf.prev_result;
	const char *version = json_string_value(json_object_get(told, "cniVersion"));
	int r;

	if (version && !strcmp(version, cni_version_names[call->conf.version])) {
		*ret_output = json_incref(told);
		return 0;
	}
	r = cni_result_parse(told, call->conf.version, &prev, e);
	return r ? r : cni_result_build(&prev, call->conf.version, false, ret_output, e);
}

int rdma_add(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	struct chained c = CHAINED_NONE;
	json_auto_t *output = NULL;
	int r = begin(&c, e);

	r = r ?: pass_on(call, &output, e); /* what can fail comes before what must be undone */
	if (!r && find_outside_pod(&c.now)) {
		r = claim_devices(&c, e);
		r = r ?: move_devices(&c, e);
	}
	if (!r)
		*ret_output = take_ptr(output);
	chained_done(&c);
	return r;
}

int rdma_check(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	struct chained c = CHAINED_NONE;
	const struct vf_rdma *outside;
	int r = begin(&c, e);

	(void)ret_output;
	outside = r ? NULL : find_outside_pod(&c.now);
	if (outside)
		r = err_set(e, CNI_ERR_STATE, 0, "RDMA device %s of %s is not in %s", outside->name,
			    c.vf.bdf, call->env.netns);
	chained_done(&c);
	return r;
}
