/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DEL and GC: both need nothing but the stored rows. What the configuration says of ranges and pools
 * may have changed, or be wrong by now, and a lease must be released nevertheless.
 */
#include "release.h"
#include "verbs.h"

#include "base/cleanup.h"
#include "conf.h"

#include <stdlib.h>
#include <string.h>

/*
 * A lease that was rebuilt from an address found in a namespace has no known owner: it is this
 * attachment's when namespace and interface are.
 */
static bool is_unknown_owners(const struct lease *lease, const struct cni_env *env)
{
	return !lease->scope && !*lease->owner.network && *env->netns &&
	       !strcmp(lease->netns, env->netns) && !strcmp(lease->owner.ifname, env->ifname);
}

static int collect_unknown(const struct lease *lease, void *arg, struct err *e)
{
	struct release *release = arg;

	return is_unknown_owners(lease, release->env) ? release_collect(lease, &release->list, e)
						      : 0;
}

static int del_leases(struct store *store, void *arg, struct err *e)
{
	struct release *release = arg;
	const struct cni_env *env = release->env;
	const struct owner owner = { release->network, env->container_id, env->ifname };
	int r;

	release->list.count = 0;
	r = store_leases_of(store, &owner, release_collect, &release->list, e);
	if (!r && !release->list.count) /* whose addresses are known, has none that are not */
		r = store_leases(store, "", false, collect_unknown, release, e);
	return r ? r : release_all(store, &release->list, e);
}

int verb_del(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	auto_release struct release release = { .env = &call->env, .network = call->conf.name };
	const char *dir;
	int r = conf_data_dir(call, &dir, e);

	(void)ret_output;
	return r ? r : store_run(dir, STORE_IF_THERE, del_leases, &release, e);
}

/* What is not listed as valid; and what was rebuilt without an owner, once its namespace is gone. */
static int collect_stale(const struct lease *lease, void *arg, struct err *e)
{
	struct release *release = arg;
	bool stale = *lease->owner.network
			     ? !cni_attachment_is_valid(release->valid, release->valid_count,
							lease->owner.cid, lease->owner.ifname)
			     : release_is_gone(lease) == LEASE_GONE;

	return stale ? release_collect(lease, &release->list, e) : 0;
}

static int gc_leases(struct store *store, void *arg, struct err *e)
{
	struct release *release = arg;
	int r;

	release->list.count = 0;
	r = store_leases(store, release->network, false, collect_stale, release, e);
	r = r ?: store_leases(store, "", false, collect_stale, release, e);
	return r ? r : release_all(store, &release->list, e);
}

int verb_gc(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	auto_release struct release release = { .env = &call->env, .network = call->conf.name };
	auto_free struct cni_attachment *valid = NULL;
	bool given = false;
	const char *dir;
	int r = cni_conf_valid_attachments(&call->conf, &valid, &release.valid_count, &given, e);

	(void)ret_output;
	r = r ?: conf_data_dir(call, &dir, e);
	if (r || !given)
		return r;
	release.valid = valid;
	return store_run(dir, STORE_IF_THERE, gc_leases, &release, e);
}
