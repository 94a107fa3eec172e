/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "cni/result.h"
#include "slot.h"
#include "verbs.h"

#include <errno.h>
#include <string.h>

struct check {
	const struct cni_call *call;
	struct cni_result prev;
	bool *held; /* of each of prev's addresses */
};

static void check_done(struct check *check)
{
	cni_result_done(&check->prev);
	free(check->held);
}

static int note(const struct lease *lease, void *arg, struct err *e)
{
	struct check *check = arg;

	(void)e;
	for (size_t i = 0; i < check->prev.ip_count; i++)
		if (inet_addr_equal(&check->prev.ips[i].address.addr, &lease->addr))
			check->held[i] = true;
	return 0;
}

/* Rebuilt from an address in this attachment's namespace: as good as its own. */
static int note_unknown_owners(const struct lease *lease, void *arg, struct err *e)
{
	const struct check *check = arg;

	if (!strcmp(lease->netns, check->call->env.netns) &&
	    !strcmp(lease->owner.ifname, check->call->env.ifname))
		return note(lease, arg, e);
	return 0;
}

static int look(struct store *store, void *arg, struct err *e)
{
	struct check *check = arg;
	const struct cni_call *call = check->call;
	const struct owner owner = { call->conf.name, call->env.container_id, call->env.ifname };
	int r = store_leases_of(store, &owner, note, check, e);

	return r ? r : store_leases(store, "", false, note_unknown_owners, check, e);
}

static bool is_on_ifname(const struct check *check, const struct cni_ip *ip)
{
	const struct cni_result *prev = &check->prev;

	return ip->interface >= 0 && (size_t)ip->interface < prev->interface_count &&
	       !strcmp(prev->interfaces[ip->interface].name, check->call->env.ifname);
}

/*
 * Each address of prevResult must be held by this attachment. Other plugins of the chain may have added
 * others: ours are those on CNI_IFNAME or, if the result tells none there, those on no interface.
 */
static bool is_ours(const struct check *check, const struct cni_ip *ip)
{
	const struct cni_result *prev = &check->prev;

	if (ip->interface >= 0)
		return is_on_ifname(check, ip);
	for (size_t i = 0; i < prev->ip_count; i++)
		if (is_on_ifname(check, &prev->ips[i]))
			return false;
	return true;
}

int verb_check(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	__attribute__((cleanup(check_done))) struct check check = { .call = call };
	char text[INET_TEXT];
	const char *dir;
	int r;

	(void)ret_output;
	if (!call->conf.prev_result)
		return err_set(e, CNI_ERR_CONFIG, 0, "prevResult is required for CHECK");
	r = cni_result_parse(call->conf.prev_result, call->conf.version, &check.prev, e);
	if (r)
		return r;
	check.held = calloc(check.prev.ip_count + 1, sizeof(*check.held));
	if (!check.held)
		return err_set(e, CNI_ERR_IO, ENOMEM, "read prevResult");
	r = conf_data_dir(call, &dir, e);
	r = r ?: store_run(dir, STORE_IF_THERE, look, &check, e);
	for (size_t i = 0; !r && i < check.prev.ip_count; i++)
		if (is_ours(&check, &check.prev.ips[i]) && !check.held[i])
			r = err_set(e, CNI_ERR_STATE, 0,
				    "%s has no lease of %s in network '%s' for container %s",
				    call->env.ifname,
				    inet_addr_format(&check.prev.ips[i].address.addr, text),
				    call->conf.name, call->env.container_id);
	return r;
}

struct status {
	struct conf conf;
	struct slots slots;
};

static void status_done(struct status *status)
{
	slots_done(&status->slots);
	conf_done(&status->conf);
}

/* Would an ADD get an address of each pool now? */
static int try_pools(struct store *store, void *arg, struct err *e)
{
	struct status *status = arg;
	int r = slots_load(&status->slots, &status->conf, store, e);

	for (size_t i = 0; !r && i < status->slots.count; i++) {
		const struct slot *slot = &status->slots.v[i];
		struct inet_addr next = { 0 };

		r = store_next(store, &slot->row, &next, e);
		if (!r && !next.family && !slot->pool->oldest)
			r = slot_exhausted(store, slot, e);
	}
	return r;
}

int verb_status(const struct cni_call *call, json_t **ret_output, struct err *e)
{
	__attribute__((cleanup(status_done))) struct status status = { .conf = { .network = "" } };
	int r = conf_read(call, &status.conf, e);

	(void)ret_output;
	r = r ?: store_run(status.conf.data_dir, STORE_MAKE, try_pools, &status, e);
	if (r)
		e->code = CNI_ERR_UNAVAILABLE;
	return r;
}
