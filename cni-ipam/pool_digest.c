/* SPDX-License-Identifier: Apache-2.0 */
#include "pool.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *subnets_json(const struct set *set)
{
	char net[INET_TEXT], gateway[INET_TEXT];
	json_t *list = json_array();

	for (size_t i = 0; i < set->subnet_count; i++)
		json_array_append_new(
			list, json_pack("[s,s]", inet_net_format(&set->subnets[i].net, net),
					inet_addr_format(&set->subnets[i].gateway, gateway)));
	return list;
}

static json_t *set_json(const struct set *set)
{
	struct inet_addr lo = addr_key_to(set->part.lo), hi = addr_key_to(set->part.hi);
	char hash[33], text[2][INET_TEXT];

	for (int i = 0; i < 16; i++)
		sprintf(hash + 2 * i, "%02x", set->hash[i]);
	return json_pack("{s:s, s:s, s:[s,s], s:o}", "scope", set->scope, "hash", hash, "part",
			 inet_addr_format(&lo, text[0]), inet_addr_format(&hi, text[1]), "subnets",
			 subnets_json(set));
}

char *pool_digest_write(const struct pool *pool)
{
	struct cni_result no_address = pool->extra;
	json_auto_t *sets = json_array(), *extra = NULL, *doc = NULL;

	for (size_t i = 0; i < pool->set_count; i++)
		json_array_append_new(sets, set_json(&pool->sets[i]));
	if (cni_result_build(&no_address, CNI_VERSION_NEWEST, true, &extra, &(struct err){ 0 }))
		return NULL;
	doc = json_pack("{s:O, s:O, s:i, s:b}", "sets", sets, "extra", extra, "cooldown",
			(int)pool->cooldown_s, "oldest", pool->oldest);
	return doc ? json_dumps(doc, JSON_COMPACT) : NULL;
}

static int read_subnets(json_t *list, struct set *set)
{
	set->subnets = calloc(json_array_size(list) + 1, sizeof(*set->subnets));
	if (!set->subnets)
		return -ENOMEM;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *net, *gateway;
		struct subnet *s = &set->subnets[i];

		if (json_unpack(json_array_get(list, i), "[s,s]", &net, &gateway) ||
		    inet_net_parse(net, false, &s->net) ||
		    (*gateway && inet_addr_parse(gateway, &s->gateway)))
			return -EINVAL;
		set->subnet_count++;
	}
	return 0;
}

static int read_set(json_t *json, struct pool *pool)
{
	const char *scope, *hash, *lo, *hi;
	struct inet_addr first, last;
	json_t *subnets;
	struct set *set;

	if (json_unpack(json, "{s:s, s:s, s:[s,s], s:o}", "scope", &scope, "hash", &hash, "part",
			&lo, &hi, "subnets", &subnets) ||
	    strlen(hash) != 32 || inet_addr_parse(lo, &first) || inet_addr_parse(hi, &last))
		return -EINVAL;
	set = pool_add_set(pool, scope);
	if (!set)
		return -ENOMEM;
	set->known = true;
	set->part = (struct range){ addr_key_from(&first), addr_key_from(&last) };
	for (int i = 0; i < 16; i++)
		if (sscanf(hash + 2 * i, "%2hhx", &set->hash[i]) != 1)
			return -EINVAL;
	return read_subnets(subnets, set);
}

int pool_digest_read(const char *text, struct pool *ret)
{
	json_auto_t *doc = json_loads(text, 0, NULL);
	auto_pool struct pool pool = { 0 };
	json_t *sets, *extra;
	int cooldown, oldest;

	if (!doc || json_unpack(doc, "{s:o, s:o, s:i, s:b}", "sets", &sets, "extra", &extra,
				"cooldown", &cooldown, "oldest", &oldest))
		return -EINVAL;
	for (size_t i = 0; i < json_array_size(sets); i++) {
		int r = read_set(json_array_get(sets, i), &pool);

		if (r)
			return r;
	}
	if (cni_result_parse(extra, CNI_VERSION_NEWEST, &pool.extra, &(struct err){ 0 }))
		return -EINVAL;
	pool.cooldown_s = (uint32_t)cooldown;
	pool.oldest = oldest;
	*ret = pool;
	memset(&pool, 0, sizeof(pool));
	return 0;
}
