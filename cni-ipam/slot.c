/* SPDX-License-Identifier: Apache-2.0 */
#include "slot.h"

#include "base/clock.h"
#include "pool_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void slots_done(struct slots *slots)
{
	for (size_t i = 0; i < slots->named_count; i++)
		pool_done(&slots->named[i]);
	free(slots->named);
	free(slots->v);
	*slots = (struct slots){ 0 };
}

static int load_named(struct slots *slots, const struct conf *conf, struct store *store,
		      struct err *e)
{
	slots->named = calloc(conf->named_count + 1, sizeof(*slots->named));
	if (!slots->named)
		return err_set(e, CNI_ERR_IO, ENOMEM, "read the pools");
	for (size_t i = 0; i < conf->named_count; i++) {
		int r = pool_file_load(store, conf, conf->named[i], &slots->named[i], e);

		if (r)
			return r;
		slots->named_count++;
	}
	return 0;
}

/* The set's row in the store; a set that the store does not know is entered. */
static int open_row(struct slot *slot, const struct conf *conf, size_t i, struct store *store,
		    struct err *e)
{
	const char *name = *slot->pool->name ? slot->pool->name : conf->network;
	char form[POOL_SET_NAME];
	bool found = false;
	int64_t scope = store_scope(slot->set->scope);
	int r = store_pool_find(store, scope, slot->set->hash, &slot->row, &found, e);

	if (r || found)
		return r;
	if (slot->set
		    ->known) /* remembered of a file, but its ranges are gone: have it read again */
		return err_set(e, CNI_ERR_IO, ESTALE, "pool '%s' is only half in the store", name);
	snprintf(form, sizeof(form), "%s/%zu", name, i);
	return store_pool_make(store, scope, slot->set->hash, form, &slot->set->ranges, &slot->row,
			       e);
}

static int add_pool(struct slots *slots, const struct pool *pool, const struct conf *conf,
		    struct store *store, struct err *e)
{
	struct slot *v = reallocarray(slots->v, slots->count + pool->set_count + 1, sizeof(*v));

	if (!v)
		return err_set(e, CNI_ERR_IO, ENOMEM, "read the pools");
	slots->v = v;
	for (size_t i = 0; i < pool->set_count; i++) {
		struct slot *slot = &slots->v[slots->count];
		int r;

		*slot = (struct slot){ .pool = pool, .set = &pool->sets[i] };
		slot->number = (uint32_t)slots->count;
		r = open_row(slot, conf, i, store, e);
		if (r)
			return r;
		slots->count++;
	}
	return 0;
}

int slots_load(struct slots *ret, const struct conf *conf, struct store *store, struct err *e)
{
	int r;

	slots_done(ret);
	r = load_named(ret, conf, store, e);
	r = r ?: add_pool(ret, &conf->inline_pool, conf, store, e);
	for (size_t i = 0; !r && i < ret->named_count; i++)
		r = add_pool(ret, &ret->named[i], conf, store, e);
	return r;
}

static bool is_usable(const struct inet_net *net, const struct inet_addr *a)
{
	auto_range_list struct range_list usable = { 0 };

	if (range_usable(net, &usable))
		return false;
	return range_list_has(&usable, addr_key_from(a));
}

static bool is_gateway(const struct set *set, const struct inet_addr *a)
{
	for (size_t i = 0; i < set->subnet_count; i++)
		if (inet_addr_equal(&set->subnets[i].gateway, a))
			return true;
	return false;
}

/* A requested address may lie outside the ranges, but must be one that an interface can have. */
static int want(struct slot *slot, const struct inet_addr *a, const char *by, struct err *e)
{
	const struct subnet *subnet = set_subnet_of(slot->set, a);
	char text[INET_TEXT], net[INET_TEXT];

	inet_addr_format(a, text);
	if (!is_usable(&subnet->net, a))
		return err_set(e, CNI_ERR_CONFIG, 0,
			       "%s: %s is the network's or broadcast address of %s", by, text,
			       inet_net_format(&subnet->net, net));
	if (is_gateway(slot->set, a))
		return err_set(e, CNI_ERR_CONFIG, 0, "%s: %s is the gateway of %s", by, text,
			       inet_net_format(&subnet->net, net));
	slot->wanted = *a;
	return 0;
}

static int match(struct slots *slots, const struct inet_addr *a, const char *by, struct err *e)
{
	char text[INET_TEXT], net[INET_TEXT];
	const struct subnet *subnet = NULL;

	for (size_t i = 0; i < slots->count; i++) {
		struct slot *slot = &slots->v[i];

		if (!set_subnet_of(slot->set, a))
			continue;
		if (!slot->wanted.family || inet_addr_equal(&slot->wanted, a))
			return want(slot, a, by, e);
		subnet = set_subnet_of(slot->set, a);
	}
	inet_addr_format(a, text);
	if (subnet)
		return err_set(
			e, CNI_ERR_CONFIG, 0,
			"%s: %s is one address too many for %s, which gives one to each attachment",
			by, text, inet_net_format(&subnet->net, net));
	return err_set(e, CNI_ERR_CONFIG, 0, "%s: %s lies in no subnet of the network's pools", by,
		       text);
}

static int want_gateway(struct slot *slot, struct err *e)
{
	char text[SLOT_TEXT];

	if (!slot->set->subnet_count || !slot->set->subnets[0].gateway.family)
		return err_set(e, CNI_ERR_CONFIG, 0,
			       "args.cni.allocateDefaultGateway: %s has no gateway",
			       slot_describe(slot, text));
	slot->wanted = slot->set->subnets[0].gateway;
	slot->is_gateway = true;
	return 0;
}

static int want_index(struct slot *slot, uint32_t index, struct err *e)
{
	static const char by[] = "args.cni.allocateIPWithIndex";
	const struct range *part = &slot->set->part;
	struct inet_addr a;
	char text[RANGE_TEXT];

	if (part->hi - part->lo < index)
		return err_set(e, CNI_ERR_CONFIG, 0, "%s: %u lies beyond this node's %s", by, index,
			       range_format(part, text));
	a = addr_key_to(part->lo + index);
	return want(slot, &a, by, e);
}

int slots_match_requested(struct slots *slots, const struct conf *conf, struct err *e)
{
	int r = 0;

	if ((conf->want_gateway || conf->has_index) && conf->requested_count)
		return err_set(e, CNI_ERR_CONFIG, 0, "%s and args.cni.%s exclude each other",
			       conf->requested_by,
			       conf->want_gateway ? "allocateDefaultGateway"
						  : "allocateIPWithIndex");
	for (size_t i = 0; !r && i < conf->requested_count; i++)
		r = match(slots, &conf->requested[i], conf->requested_by, e);
	for (size_t i = 0; !r && conf->want_gateway && i < slots->count; i++)
		r = want_gateway(&slots->v[i], e);
	for (size_t i = 0; !r && conf->has_index && i < slots->count; i++)
		r = want_index(&slots->v[i], conf->index, e);
	return r;
}

const char *slot_describe(const struct slot *slot, char buf[SLOT_TEXT])
{
	char net[INET_TEXT] = "";

	if (slot->set->subnet_count)
		inet_net_format(&slot->set->subnets[0].net, net);
	if (*slot->pool->name)
		snprintf(buf, SLOT_TEXT, "pool '%s' (%s)", slot->pool->name, net);
	else
		snprintf(buf, SLOT_TEXT, "the range of %s", net);
	return buf;
}

int slot_exhausted(struct store *store, const struct slot *slot, struct err *e)
{
	char text[SLOT_TEXT], size[ADDR_COUNT_TEXT], held[ADDR_COUNT_TEXT],
		cooling[ADDR_COUNT_TEXT];
	struct store_usage u = { 0 };
	struct inet_addr first = { 0 };
	uint64_t free_at = 0, now = clock_ms();
	int r = store_usage(store, &slot->row, &u, e);

	r = r ?: store_coolest(store, &slot->row, &first, &free_at, e);
	if (r)
		return r;
	slot_describe(slot, text);
	addr_count_format(u.size, size);
	addr_count_format(u.held, held);
	addr_count_format(u.cooling, cooling);
	if (first.family)
		return err_set(
			e, CNI_ERR_AGAIN, 0,
			"%s has only cooling addresses left: size %s, held %s, cooling %s; the first is "
			"free in %llu s",
			text, size, held, cooling,
			free_at > now ? (unsigned long long)(free_at - now + 999) / 1000 : 0ULL);
	return err_set(e, CNI_ERR_EXHAUSTED, 0, "%s is exhausted: size %s, held %s, cooling %s",
		       text, size, held, cooling);
}
