/* SPDX-License-Identifier: Apache-2.0 */
#include "claim.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "record.h"
#include "way_back.h"

#include <errno.h>
#include <time.h>

int claim_pod(const struct cni_env *env, struct vf_site *ret, struct netns_id *ret_id,
	      struct err *e)
{
	auto_close int pod_ns = netns_open(env->netns, e);
	struct netns_id own;
	int r;

	if (pod_ns < 0)
		return pod_ns;
	r = netns_id(pod_ns, ret_id, e);
	if (!r)
		r = vf_site_open(ret, take_fd(&pod_ns), e);
	if (r)
		return r;
	ret_id->cookie = netlink_netns_cookie(&ret->pod);
	r = netns_id(ret->host_ns, &own, e);
	if (!r && netns_id_equal(&own, ret_id) && !env->netns_override)
		r = err_set(e, CNI_ERR_ENV, 0,
			    "CNI_NETNS %s is this plugin's own network namespace", env->netns);
	return r;
}

static int held(const struct record *holder, struct err *e)
{
	char pod[400], since[32];
	time_t at = (time_t)holder->since;
	struct tm tm;

	gmtime_r(&at, &tm);
	strftime(since, sizeof(since), "%FT%TZ", &tm);
	return err_set(e, CNI_ERR_AGAIN, 0,
		       "VF %s is attached to pod %s (container %s, %s, network %s) since %s",
		       holder->bdf, record_pod(holder, pod, sizeof(pod)), holder->env.container_id,
		       holder->env.ifname, holder->network, since);
}

/* Does the holder still live? If not, or if it is this very attachment's, begun before, go its way back. */
static int settle(int store, const struct record *holder, const struct cni_call *call,
		  struct err *e)
{
	char boot[BOOT_ID_SIZE];
	int r = boot_id(boot, e);

	if (!r && record_is_of_boot(holder, boot) &&
	    !record_is_owner(holder, call->conf.name, &call->env))
		r = way_back_pod_lives(holder, e);
	if (r)
		return r < 0 ? r : held(holder, e);
	log_info("VF %s: repairing what container %s left behind", holder->bdf,
		 holder->env.container_id);
	r = way_back(NULL, store, holder, e);
	if (r)
		err_prefix(e, "VF %s: repair what container %s left behind", holder->bdf,
			   holder->env.container_id);
	return r;
}

int claim_record(int store, const char *bdf, const struct cni_call *call, struct err *e)
{
	struct record holder = { 0 };
	int r = record_load(store, bdf, &holder, e);

	if (r == -ENOENT)
		return 0;
	if (r == -EBADMSG) {
		log_warning("%s; it is set aside", e->msg);
		r = record_set_aside(store, bdf, e);
	} else if (!r) {
		r = settle(store, &holder, call, e);
	}
	record_done(&holder);
	return r ? r : 1;
}
