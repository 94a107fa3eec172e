/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "slot.h"
#include "verbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define HELD_MAX 64 /* addresses of one attachment */

struct add {
	const struct cni_call *call;
	struct conf conf;
	struct slots slots;
	struct lease lease; /* what each new lease has in common */
	char pod[2 * NAME_MAX], uid[NAME_MAX];
	json_t *output;
};

static void add_done(struct add *add)
{
	slots_done(&add->slots);
	conf_done(&add->conf);
	json_decref(add->output);
}

/* An address that the owner holds already. */
struct held {
	int64_t scope;
	struct inet_addr addr;
	uint32_t number;
	bool kept;
};

struct held_list {
	struct held v[HELD_MAX];
	size_t count;
};

static int note_held(const struct lease *lease, void *arg, struct err *e)
{
	struct held_list *held = arg;

	if (held->count == HELD_MAX)
		return err_set(e, CNI_ERR_IO, 0, "%s in %s holds more than %d addresses",
			       lease->owner.ifname, lease->owner.cid, HELD_MAX);
	held->v[held->count++] =
		(struct held){ .scope = lease->scope, .addr = lease->addr, .number = lease->slot };
	return 0;
}

/* Does an address fit a slot? The ranges may have changed since; the subnet tells. */
static bool fits(const struct held *h, const struct slot *slot)
{
	if (h->kept || slot->given.family || (h->scope && h->scope != slot->row.scope))
		return false;
	if (slot->wanted.family)
		return inet_addr_equal(&slot->wanted, &h->addr);
	return set_subnet_of(slot->set, &h->addr) != NULL;
}

static void keep(struct held_list *held, struct slots *slots, bool same_number)
{
	for (size_t i = 0; i < slots->count; i++)
		for (size_t k = 0; k < held->count; k++) {
			struct held *h = &held->v[k];
			struct slot *slot = &slots->v[i];

			if (fits(h, slot) && (!same_number || h->number == slot->number)) {
				slot->given = h->addr;
				slot->number = h->number;
				h->kept = true;
			}
		}
}

/* A repeated ADD gets what the first one got; what fits no more is released. */
static int keep_held(struct store *store, struct add *add, struct err *e)
{
	struct held_list held = { .count = 0 };
	int r = store_leases_of(store, &add->lease.owner, note_held, &held, e);

	keep(&held, &add->slots, true);
	keep(&held, &add->slots, false);
	for (size_t i = 0; !r && i < held.count; i++)
		if (!held.v[i].kept)
			r = store_release(store, held.v[i].scope, &held.v[i].addr, e);
	return r;
}

/* Somebody has the requested address. One that cools may be given: who asks for it knows why. */
static int refuse_if_held(const struct lease *lease, void *arg, struct err *e)
{
	char text[INET_TEXT];

	(void)arg;
	if (!lease->held)
		return 0;
	return err_set(e, CNI_ERR_EXHAUSTED, 0,
		       "the requested address %s is held by %s of container %s in network '%s'%s%s",
		       inet_addr_format(&lease->addr, text), lease->owner.ifname, lease->owner.cid,
		       lease->owner.network, *lease->pod ? ", pod " : "", lease->pod);
}

static int give(struct store *store, struct add *add, struct slot *slot,
		const struct inet_addr *addr, struct err *e)
{
	struct lease lease = add->lease;
	int r;

	lease.scope = slot->row.scope;
	lease.addr = *addr;
	lease.slot = slot->number;
	lease.cooldown_s = slot->pool->cooldown_s;
	lease.pool = slot->pool->name;
	r = store_give(store, &lease, e);
	if (!r)
		slot->given = *addr;
	return r;
}

static int give_wanted(struct store *store, struct add *add, struct slot *slot, struct err *e)
{
	int r = store_lease_at(store, slot->row.scope, &slot->wanted, refuse_if_held, NULL, e);

	r = r ?: store_end_cooling(store, slot->row.scope, &slot->wanted, e);
	return r ? r : give(store, add, slot, &slot->wanted, e);
}

/* By policy, the address that has cooled longest, when no other is left. */
static int end_oldest(struct store *store, const struct slot *slot, struct inet_addr *ret,
		      struct err *e)
{
	struct inet_addr oldest = { 0 };
	uint64_t free_at;
	int r = store_coolest(store, &slot->row, &oldest, &free_at, e);

	if (r || !oldest.family)
		return r;
	*ret = oldest;
	return store_end_cooling(store, slot->row.scope, &oldest, e);
}

static int give_next(struct store *store, struct add *add, struct slot *slot, struct err *e)
{
	struct inet_addr addr = { 0 };
	int r = store_next(store, &slot->row, &addr, e);

	if (!r && !addr.family && slot->pool->oldest)
		r = end_oldest(store, slot, &addr, e);
	if (r)
		return r;
	if (!addr.family)
		return slot_exhausted(store, slot, e);
	r = give(store, add, slot, &addr, e);
	return r ? r : store_move_cursor(store, &slot->row, &addr, e);
}

/* Numbers of leases are unique for an owner; those that are kept may have come from other slots. */
static void number_new(struct slots *slots)
{
	uint32_t next = 0;

	for (size_t i = 0; i < slots->count; i++)
		if (slots->v[i].number >= next)
			next = slots->v[i].number + 1;
	for (size_t i = 0; i < slots->count; i++)
		for (size_t k = 0; k < slots->count; k++)
			if (!slots->v[i].given.family && slots->v[k].given.family &&
			    slots->v[k].number == slots->v[i].number)
				slots->v[i].number = next++;
}

static int add_ip(struct cni_result *result, const struct slot *slot)
{
	const struct subnet *subnet = set_subnet_of(slot->set, &slot->given);
	struct cni_ip *ip = cni_result_add_ip(result);

	if (!ip)
		return -ENOMEM;
	ip->address = (struct inet_net){ slot->given, subnet->net.len };
	if (!slot->is_gateway)
		ip->gateway = subnet->gateway;
	return 0;
}

static int add_extra(struct cni_result *result, const struct pool *pool)
{
	for (size_t i = 0; i < pool->extra.route_count; i++) {
		struct cni_route *route = cni_result_add_route(result);

		if (!route)
			return -ENOMEM;
		*route = pool->extra.routes[i];
	}
	if (!result->dns)
		result->dns = json_incref(pool->extra.dns);
	return 0;
}

static int build_result(struct add *add, struct err *e)
{
	auto_cni_result struct cni_result result = { 0 };
	int r = add_extra(&result, &add->conf.inline_pool);

	for (size_t i = 0; !r && i < add->slots.count; i++)
		r = add_ip(&result, &add->slots.v[i]);
	for (size_t i = 0; !r && i < add->slots.named_count; i++)
		r = add_extra(&result, &add->slots.named[i]);
	if (r)
		return err_set(e, CNI_ERR_IO, r, "make the result");
	json_decref(add->output);
	add->output = NULL;
	return cni_result_build(&result, add->call->conf.version, true, &add->output, e);
}

/* The transaction: all addresses, or none. */
static int add_leases(struct store *store, void *arg, struct err *e)
{
	struct add *add = arg;
	int r = slots_load(&add->slots, &add->conf, store, e);

	r = r ?: slots_match_requested(&add->slots, &add->conf, e);
	r = r ?: keep_held(store, add, e);
	number_new(&add->slots);
	for (size_t i = 0; !r && i < add->slots.count; i++) {
		struct slot *slot = &add->slots.v[i];

		if (!slot->given.family)
			r = slot->wanted.family ? give_wanted(store, add, slot, e)
						: give_next(store, add, slot, e);
	}
	/* before the commit, as a version that cannot express the result must leave no lease behind */
	return r ? r : build_result(add, e);
}

/* Who asks: the pod's name is for people, the namespace tells later whether the container lives. */
static void describe_owner(struct add *add)
{
	const struct cni_env *env = &add->call->env;
	struct stat st;

	cni_env_pod(env, add->pod, sizeof(add->pod));
	if (!cni_env_arg(env, "K8S_POD_UID", add->uid, sizeof(add->uid)))
		add->uid[0] = '\0';
	add->lease = (struct lease){
		.owner = { add->call->conf.name, env->container_id, env->ifname },
		.held = true,
		.pool = "",
		.pod = add->pod,
		.uid = add->uid,
		.netns = env->netns,
	};
	if (!stat(env->netns, &st)) {
		add->lease.netns_dev = st.st_dev;
		add->lease.netns_ino = st.st_ino;
	}
}

int verb_add(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	__attribute__((cleanup(add_done))) struct add add = { .call = call };
	int r = conf_read(call, &add.conf, e);

	if (r)
		return r;
	describe_owner(&add);
	r = store_run(add.conf.data_dir, STORE_MAKE, add_leases, &add, e);
	if (!r)
		*ret_output = take_ptr(add.output);
	return r;
}
