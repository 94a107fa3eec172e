/* SPDX-License-Identifier: Apache-2.0 */
/* CHECK: observe, and differ in nothing from what was wanted; the error lists the fields. */
#include "verbs.h"

#include "addressing.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "cni/result.h"
#include "conf.h"
#include "ipam.h"
#include "kernel/netns.h"
#include "pod_sysctl.h"
#include "record.h"
#include "source_routing.h"
#include "verbs_check.h"
#include "vf/observe.h"

#include <errno.h>
#include <string.h>

static int find_record(const struct cni_call *call, const struct attach_conf *conf,
		       struct record *ret, struct err *e)
{
	const struct cni_env *env = &call->env;
	auto_close int store = record_store_open_named(conf->data_dir, conf->records, false, e);
	int r;

	if (store < 0 && store != -ENOENT)
		return store;
	r = store < 0 ? -ENOENT : record_find(store, call->conf.name, env, ret, e);
	if (r == -ENOENT || (!r && !ret->result)) {
		record_done(ret);
		return err_set(e, CNI_ERR_STATE, 0,
			       "no attachment of container %s, %s, network %s is recorded",
			       env->container_id, env->ifname, call->conf.name);
	}
	return r;
}

/* The interface of the runtime's result that is this attachment's. */
static const struct cni_interface *own_interface(const struct cni_result *prev,
						 const struct cni_env *env)
{
	for (size_t i = 0; i < prev->interface_count; i++)
		if (prev->interfaces[i].sandbox && !strcmp(prev->interfaces[i].name, env->ifname))
			return &prev->interfaces[i];
	return NULL;
}

/*
 * What should be, as the end of the chain left it: a later plugin (tuning) may have changed MAC and MTU, and says
 * so in its result. Of the flags it may have changed all but up.
 */
static struct vf_state expected(const struct record *record, const struct cni_interface *told)
{
	struct vf_state want = record->want;

	if (told && *told->mac && (want.fields & VF_LINK) && !hwaddr_parse(told->mac, &want.mac)) {
		want.fields |= VF_MAC;
		if (!hwaddr_equal(&want.mac, &record->want.mac))
			want.fields &= ~(unsigned int)VF_PF_MAC;
	}
	if (told && told->mtu && (want.fields & VF_LINK)) {
		want.fields |= VF_MTU;
		want.mtu = told->mtu;
	}
	return want;
}

static int check_vf(struct vf_site *site, const struct record *record,
		    const struct cni_interface *told, struct vf_state *now, struct err *e)
{
	struct vf_state want = expected(record, told);
	unsigned int diff;
	char text[400];
	struct vf vf;
	int r;

	r = vf_find(site->sysfs, &site->host, record->bdf, &vf, e);
	vf_expect(now, &want);
	if (!r)
		r = vf_observe(site, &vf, VF_LINK | VF_PF | VF_RDMA | VF_DRIVER, now, e);
	if (r)
		return r;
	now->flags = (want.flags & ~(unsigned int)IFF_UP) | (now->flags & IFF_UP);
	diff = vf_diff(now, &want) & (~(unsigned int)VF_PF | now->fields);
	if (!diff)
		return 0;
	return err_set(e, CNI_ERR_STATE, 0, "VF %s: %s", record->bdf,
		       vf_diff_format(now, &want, diff, text, sizeof(text)));
}

static int other_namespace(const struct cni_call *call, const struct record *record, struct err *e)
{
	return err_set(e, CNI_ERR_STATE, 0,
		       "CNI_NETNS %s is not the namespace that VF %s was attached to",
		       call->env.netns, record->bdf);
}

static int open_site(const struct cni_call *call, const struct record *record, struct vf_site *ret,
		     struct err *e)
{
	auto_close int pod_ns = netns_open(call->env.netns, e);
	struct netns_id id;
	int r;

	if (pod_ns < 0)
		return pod_ns;
	r = netns_id(pod_ns, &id, e);
	if (!r && !netns_id_equal(&id, &record->netns_id))
		r = other_namespace(call, record, e);
	r = r ?: vf_site_open(ret, take_fd(&pod_ns), e);
	id.cookie = r ? 0 : netlink_netns_cookie(&ret->pod);
	if (!r && !netns_id_equal(&id, &record->netns_id))
		r = other_namespace(call, record, e);
	return r;
}

/* An IPAM plugin compares with prevResult, which the runtime may have left out: then it is what ADD returned. */
static int check_ipam(const struct cni_call *call, const struct cni_result *own, struct err *e)
{
	json_auto_t *conf = json_copy(call->conf.root), *result = NULL;
	struct cni_call asked = *call;
	int r;

	if (call->conf.prev_result || !call->conf.ipam)
		return ipam_forward(call, e);
	r = cni_result_build(own, call->conf.version, false, &result, e);
	if (!r && json_object_set(conf, "prevResult", result))
		r = err_set(e, CNI_ERR_IO, ENOMEM, "ask the IPAM plugin");
	asked.conf.root = conf;
	return r ? r : ipam_forward(&asked, e);
}

int attach_check(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	auto_cni_result struct cni_result own = { 0 }, prev = { 0 };
	auto_vf_site struct vf_site site = VF_SITE_NONE;
	auto_record struct record record = { 0 };
	struct vf_state now = { 0 };
	struct attach_conf conf;
	json_t *told = call->conf.prev_result;
	int r;

	(void)ret_output;
	r = attach_conf_parse(call, &conf, e);
	if (r)
		return r;
	log_open("cni-sriov-rdma", conf.log_level, conf.log_file);
	r = find_record(call, &conf, &record, e);
	r = r ?: open_site(call, &record, &site, e);
	r = r ?: cni_result_parse(record.result, CNI_VERSION_NEWEST, &own, e);
	r = r ?: cni_result_parse(told ?: record.result, call->conf.version, &prev, e);
	r = r ?: check_vf(&site, &record, own_interface(&prev, &call->env), &now, e);
	r = r ?: pod_sysctl_check(&site, &record, e);
	if (!r && now.ifindex)
		r = addressing_check(&site, now.ifindex, &own, &prev, e);
	if (!r && now.ifindex && source_routing_is_noted(&record))
		r = source_routing_check(&site, now.ifindex, &own, &record, e);
	r = r ?: check_ipam(call, &own, e);
	if (!r && conf.rdma_check == RDMA_CHECK_VERBS) /* last: it takes longest */
		r = verbs_check(call, &record, &now, e);
	return r;
}
