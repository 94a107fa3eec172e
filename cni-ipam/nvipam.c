/* SPDX-License-Identifier: Apache-2.0 */
#include "nvipam.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool nvipam_is(json_t *ipam)
{
	return json_object_get(ipam, "poolName") || json_object_get(ipam, "poolType") ||
	       json_object_get(ipam, "forcePoolName");
}

static int read_kind(const struct field_of *of, enum pool_kind *ret, struct err *e)
{
	const char *type = "";
	int r = field_str(of, "poolType", &type, e);

	if (r || !*type)
		return r;
	if (strcasecmp(type, "ippool") && strcasecmp(type, "cidrpool"))
		return field_wrong(of, "poolType", json_object_get(of->obj, "poolType"), e,
				   "\"ippool\" or \"cidrpool\"");
	*ret = strcasecmp(type, "ippool") ? POOL_CIDRPOOL : POOL_IPPOOL;
	return 0;
}

static int add_name(const struct field_of *of, const char *key, const char *name, struct conf *conf,
		    struct err *e)
{
	if (conf->named_count == 2)
		return err_set(e, CNI_ERR_CONFIG, 0, "%s%s: '%s' is a third pool, two are allowed",
			       of->where, key, name);
	if (!cni_name_is_valid(name))
		return err_set(e, CNI_ERR_CONFIG, 0, "%s%s: '%s' is not a pool's name", of->where,
			       key, name);
	conf->named[conf->named_count++] = name;
	return 0;
}

/* args.cni.poolNames; its strings live as long as the call */
static int read_arg_names(const struct field_of *args, struct conf *conf, struct err *e)
{
	json_t *list = NULL, *item;
	size_t i;
	int r = field_array(args, "poolNames", &list, e);

	json_array_foreach(list, i, item) {
		if (!json_is_string(item))
			return field_wrong(args, "poolNames", list, e, "a list of strings");
		r = add_name(args, "poolNames", json_string_value(item), conf, e);
		if (r)
			return r;
	}
	return r;
}

/* "p1,p2", cut in a copy which @conf keeps */
static int read_names(const struct field_of *ipam, struct conf *conf, struct err *e)
{
	const char *text = "";
	bool force = false;
	auto_free char *copy = NULL;
	char *save, *name;
	int r = field_str(ipam, "poolName", &text, e);

	r = r ?: field_bool(ipam, "forcePoolName", &force, e);
	if (r)
		return r;
	if (!*text && force)
		return err_set(e, CNI_ERR_CONFIG, 0,
			       "ipam.poolName is required, as forcePoolName is true");
	if (!*text)
		text = conf->network; /* nv-ipam: a pool of the network's name */
	copy = strdup(text);
	conf->keep = json_array();
	if (!copy || !conf->keep)
		return err_set(e, CNI_ERR_IO, ENOMEM, "read ipam.poolName");
	for (name = strtok_r(copy, ",", &save); !r && name; name = strtok_r(NULL, ",", &save)) {
		json_t *kept = json_string(name);

		json_array_append_new(conf->keep, kept);
		r = add_name(ipam, "poolName", kept ? json_string_value(kept) : "", conf, e);
	}
	return r;
}

static int read_features(const struct field_of *args, struct conf *conf, struct err *e)
{
	int r = field_bool(args, "allocateDefaultGateway", &conf->want_gateway, e);

	r = r
		    ?: field_u32(args, "allocateIPWithIndex", 0, INT32_MAX, &conf->index,
				 &conf->has_index, e);
	if (!r && conf->want_gateway && conf->has_index)
		r = err_set(
			e, CNI_ERR_CONFIG, 0,
			"args.cni.allocateDefaultGateway and allocateIPWithIndex exclude each other");
	return r;
}

int nvipam_read(const struct field_of *ipam, json_t *args_cni, struct conf *conf, struct err *e)
{
	const struct field_of args = { args_cni, "args.cni.", CNI_ERR_CONFIG };
	int r;

	conf->kind = nvipam_is(ipam->obj) ? POOL_IPPOOL : POOL_ANY;
	r = read_kind(ipam, &conf->kind, e);
	r = r ?: read_kind(&args, &conf->kind, e);
	r = r ?: read_arg_names(&args, conf, e);
	if (!r && !conf->named_count)
		r = read_names(ipam, conf, e);
	return r ? r : read_features(&args, conf, e);
}
