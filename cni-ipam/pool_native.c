/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our own form of a pool, which is host-local's with more in it: a pool file, or the "ipam" object.
 */
#include "pool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int add_set(const struct field_of *of, const char *scope, struct pool *pool,
		   struct set **ret, struct err *e)
{
	*ret = pool_add_set(pool, scope);
	return *ret ? 0 : err_set(e, CNI_ERR_IO, ENOMEM, "keep %s", of->where);
}

static int add_alternative(const struct field_of *of, const struct part *part, struct set *set,
			   struct err *e)
{
	auto_subnet_spec struct subnet_spec spec = { 0 };
	int r = subnet_read(of, &subnet_keys_native, &spec, e);

	return r ? r : set_add_subnet(set, &spec, part, of, &subnet_keys_native, e);
}

/* An entry of the list: a list of alternatives, or one object where there are none. */
static int read_set(const struct field_of *of, const char *key, json_t *item, size_t i,
		    const struct part *part, struct set *set, struct err *e)
{
	char where[128];
	const char *wanted = "a set: an object with a subnet, or a list of such objects";
	struct field_of at = { item, where, of->code };
	json_t *alternative;
	size_t k;
	int r = 0;

	if (json_is_object(item)) {
		snprintf(where, sizeof(where), "%s%s[%zu].", of->where, key, i);
		return add_alternative(&at, part, set, e);
	}
	if (!json_array_size(item))
		return field_wrong(of, key, item, e, "%s", wanted);
	json_array_foreach(item, k, alternative) {
		snprintf(where, sizeof(where), "%s%s[%zu][%zu].", of->where, key, i, k);
		at.obj = alternative;
		if (!json_is_object(alternative))
			return field_wrong(of, key, item, e, "%s", wanted);
		r = add_alternative(&at, part, set, e);
		if (r)
			return r;
	}
	return r;
}

int pool_read_sets(const struct field_of *of, const char *key, const char *scope,
		   const struct part *part, struct pool *pool, struct err *e)
{
	json_t *list = NULL, *item;
	struct set *set;
	size_t i;
	int r = field_array(of, key, &list, e);

	json_array_foreach(list, i, item) {
		r = add_set(of, scope, pool, &set, e);
		r = r ?: read_set(of, key, item, i, part, set, e);
		r = r ?: set_finish(set, e);
		if (r)
			return r;
	}
	return r;
}

int pool_read_subnet(const struct field_of *of, const char *scope, const struct part *part,
		     struct pool *pool, struct err *e)
{
	struct set *set;
	int r;

	if (!json_object_get(of->obj, "subnet"))
		return 0;
	r = add_set(of, scope, pool, &set, e);
	r = r ?: add_alternative(of, part, set, e);
	return r ? r : set_finish(set, e);
}

static int read_dns(const struct field_of *of, struct pool *pool, struct err *e)
{
	static const char *const lists[] = { "nameservers", "search", "options" };
	char where[64];
	struct field_of at = { NULL, where, of->code };
	const char *domain;
	json_t *list, *item;
	size_t k;
	int r = field_object(of, "dns", &at.obj, e);

	snprintf(where, sizeof(where), "%sdns.", of->where);
	if (r || !at.obj)
		return r;
	r = field_str(&at, "domain", &domain, e);
	for (size_t i = 0; !r && i < 3; i++) {
		list = NULL;
		r = field_array(&at, lists[i], &list, e);
		json_array_foreach(list, k, item)
			if (!r && !json_is_string(item))
				r = field_wrong(&at, lists[i], list, e, "a list of strings");
	}
	if (!r)
		pool->extra.dns = json_incref(at.obj);
	return r;
}

int pool_read_options(const struct field_of *of, struct pool *pool, struct err *e)
{
	const char *when = "fail";
	char where[64];
	json_t *routes = NULL;
	bool set;
	int r = field_array(of, "routes", &routes, e);

	snprintf(where, sizeof(where), "%sroutes", of->where);
	r = r ?: cni_routes_parse(routes, where, of->code, &pool->extra, e);
	r = r ?: read_dns(of, pool, e);
	pool->cooldown_s = COOLDOWN_DEFAULT_S;
	r = r ?: field_u32(of, "cooldown", 0, 86400, &pool->cooldown_s, &set, e);
	r = r ?: field_str(of, "whenCooling", &when, e);
	if (r)
		return r;
	pool->oldest = !strcmp(when, "oldest");
	if (!pool->oldest && strcmp(when, "fail"))
		return field_wrong(of, "whenCooling", json_object_get(of->obj, "whenCooling"), e,
				   "\"fail\" or \"oldest\"");
	return 0;
}

void pool_scope(const char *fabric, char ret[SCOPE_MAX])
{
	if (*fabric)
		snprintf(ret, SCOPE_MAX, "fabric:%s", fabric);
	else
		snprintf(ret, SCOPE_MAX, "pools");
}

static int check_name(const struct field_of *of, const char *name, struct err *e)
{
	const char *told = name;
	int r = field_str(of, "name", &told, e);

	if (r || !strcmp(told, name))
		return r;
	return field_wrong(of, "name", json_object_get(of->obj, "name"), e,
			   "'%s', as the file's name without .json is", name);
}

int pool_read_native(json_t *json, const char *name, const char *node, struct pool *pool,
		     struct err *e)
{
	const struct field_of of = { json, "", CNI_ERR_CONFIG };
	auto_part struct part part = { 0 };
	const char *fabric = "";
	char scope[SCOPE_MAX];
	int r = check_name(&of, name, e);

	r = r ?: field_str(&of, "fabric", &fabric, e);
	r = r ?: part_read(&of, node, &part, e);
	if (r)
		return r;
	if (*fabric && strlen(fabric) > NAME_MAX)
		return field_wrong(&of, "fabric", json_object_get(json, "fabric"), e,
				   "up to %d bytes long", NAME_MAX);
	if (!part.told) {
		err_set(e, CNI_ERR_CONFIG, 0,
			"nothing says which part is this node's: \"nodes\", \"nodeIndex\" or "
			"\"nodeLocal\" is required");
		err_details(
			e,
			"Give \"nodes\" with each node's blocks, or \"perNodeBlockSize\" with each "
			"node's index; or say \"nodeLocal\": true when no other node gives out "
			"addresses of these ranges. Two nodes that do give out one address twice.");
		return -EINVAL;
	}
	pool_scope(fabric, scope);
	r = pool_read_subnet(&of, scope, &part, pool, e);
	r = r ?: pool_read_sets(&of, "ranges", scope, &part, pool, e);
	r = r ?: part_check(&of, pool, e);
	r = r ?: pool_read_options(&of, pool, e);
	if (!r && !pool->set_count)
		r = err_set(e, CNI_ERR_CONFIG, 0, "subnet or ranges is required");
	return r;
}
