/* SPDX-License-Identifier: Apache-2.0 */
#include "conf.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An absolute path without "..", short enough for sqlite. */
static int read_dir(const struct field_of *of, const char *key, const char **ret, struct err *e)
{
	const char *path = "";
	int r = field_str(of, key, &path, e);

	if (r || !*path)
		return r;
	if (*path != '/' || strstr(path, "/../") || strlen(path) > STORE_DIR_MAX ||
	    (strlen(path) >= 3 && !strcmp(path + strlen(path) - 3, "/..")))
		return field_wrong(of, key, json_object_get(of->obj, key), e,
				   "an absolute path without \"..\" of up to %d bytes",
				   STORE_DIR_MAX);
	*ret = path;
	return 0;
}

int conf_data_dir(const struct cni_call *call, const char **ret, struct err *e)
{
	const struct field_of ipam = { call->conf.ipam, "ipam.", CNI_ERR_CONFIG };

	*ret = CONF_DATA_DIR;
	return read_dir(&ipam, "dataDir", ret, e);
}

int conf_node_name(const char *told, char ret[NAME_MAX + 1], struct err *e)
{
	const char *env = getenv("NODE_NAME");

	if (!*told && env)
		told = env;
	if (strlen(told) > NAME_MAX)
		return err_set(e, CNI_ERR_CONFIG, 0, "the node's name is above %d bytes", NAME_MAX);
	if (*told)
		strcpy(ret, told);
	else if (gethostname(ret, NAME_MAX + 1))
		return err_set(e, CNI_ERR_CONFIG, errno, "read the host name");
	return 0;
}

static int add_requested(struct conf *conf, const char *text, int code, struct err *e)
{
	struct inet_addr *list =
		reallocarray(conf->requested, conf->requested_count + 1, sizeof(*list));
	struct inet_net net;

	if (!list)
		return err_set(e, CNI_ERR_IO, ENOMEM, "read %s", conf->requested_by);
	conf->requested = list;
	if (inet_net_parse(text, true, &net))
		return err_set(e, code, 0,
			       "%s: '%s' is not an address, with a prefix length or without",
			       conf->requested_by, text);
	list[conf->requested_count++] = net.addr; /* the length is the subnet's */
	return 0;
}

static int read_requested_list(const struct field_of *of, const char *by, struct conf *conf,
			       struct err *e)
{
	json_t *list = NULL, *item;
	size_t i;
	int r = field_array(of, "ips", &list, e);

	conf->requested_by = by;
	json_array_foreach(list, i, item) {
		if (!json_is_string(item))
			return field_wrong(of, "ips", list, e, "a list of strings");
		r = add_requested(conf, json_string_value(item), CNI_ERR_CONFIG, e);
		if (r)
			return r;
	}
	return r;
}

/* CNI_ARGS "IP=": one, or several with commas, as whereabouts takes them */
static int read_requested_args(const struct cni_env *env, struct conf *conf, struct err *e)
{
	char text[512], *save, *item;
	int r = 0;

	if (!cni_env_arg(env, "IP", text, sizeof(text)))
		return 0;
	conf->requested_by = "CNI_ARGS IP";
	for (item = strtok_r(text, ", ", &save); !r && item; item = strtok_r(NULL, ", ", &save))
		r = add_requested(conf, item, CNI_ERR_ENV, e);
	return r;
}

/* The first of these that asks for any address counts (CONVENTIONS.md of the CNI project). */
static int read_requested(const struct cni_call *call, struct conf *conf, struct err *e)
{
	const struct field_of runtime = { call->conf.runtime, "runtimeConfig.", CNI_ERR_CONFIG };
	const struct field_of args = { call->conf.args_cni, "args.cni.", CNI_ERR_CONFIG };
	int r = read_requested_list(&runtime, "runtimeConfig.ips", conf, e);

	if (!r && !conf->requested_count)
		r = read_requested_list(&args, "args.cni.ips", conf, e);
	if (!r && !conf->requested_count)
		r = read_requested_args(&call->env, conf, e);
	return r;
}

static int add_named(struct conf *conf, const char *name, struct err *e)
{
	if (!cni_name_is_valid(name))
		return err_set(
			e, CNI_ERR_CONFIG, 0,
			"ipam.pool: '%s' is not a pool's name: a letter or digit followed by "
			"letters, digits, '_', '.' or '-'",
			name);
	if (conf->named_count == CONF_NAMED_MAX)
		return err_set(e, CNI_ERR_CONFIG, 0,
			       "ipam.pool: '%s' is one more than the %d allowed", name,
			       CONF_NAMED_MAX);
	conf->named[conf->named_count++] = name;
	return 0;
}

/* "pool": a name, or a list of names */
static int read_named(const struct field_of *ipam, struct conf *conf, struct err *e)
{
	json_t *pool = json_object_get(ipam->obj, "pool"), *item;
	size_t i;
	int r = 0;

	if (!pool || json_is_null(pool))
		return 0;
	if (json_is_string(pool))
		return add_named(conf, json_string_value(pool), e);
	if (!json_is_array(pool))
		return field_wrong(ipam, "pool", pool, e, "a pool's name, or a list of them");
	json_array_foreach(pool, i, item) {
		if (!json_is_string(item))
			return field_wrong(ipam, "pool", pool, e, "a list of names");
		r = add_named(conf, json_string_value(item), e);
		if (r)
			return r;
	}
	return r;
}

static int read_resolv(const struct field_of *ipam, struct pool *pool, struct err *e)
{
	const char *path = "";
	int r = field_str(ipam, "resolvConf", &path, e);

	if (r || !*path || pool->extra.dns)
		return r;
	return resolv_read(path, &pool->extra.dns, e);
}

/* Our own form, which is host-local's with more in it. */
static int read_native(const struct cni_call *call, const struct field_of *ipam, struct conf *conf,
		       struct err *e)
{
	const struct field_of runtime = { call->conf.runtime, "runtimeConfig.", CNI_ERR_CONFIG };
	auto_part struct part part = { 0 };
	const char *fabric = "";
	char scope[SCOPE_MAX];
	int r = part_read(ipam, conf->node, &part, e);

	r = r ?: field_str(ipam, "fabric", &fabric, e);
	if (r)
		return r;
	/* as host-local: another network is another world, which may have the same addresses */
	snprintf(scope, sizeof(scope), *fabric ? "fabric:%.*s" : "network:%.*s", NAME_MAX,
		 *fabric ? fabric : conf->network);
	conf->inline_pool.whole = !part.told;
	r = pool_read_sets(&runtime, "ipRanges", scope, &part, &conf->inline_pool, e);
	r = r ?: pool_read_subnet(ipam, scope, &part, &conf->inline_pool, e);
	r = r ?: pool_read_sets(ipam, "ranges", scope, &part, &conf->inline_pool, e);
	r = r ?: part_check(ipam, &conf->inline_pool, e);
	r = r ?: pool_read_options(ipam, &conf->inline_pool, e);
	r = r ?: read_resolv(ipam, &conf->inline_pool, e);
	return r ? r : read_named(ipam, conf, e);
}

static int read_form(const struct cni_call *call, const struct field_of *ipam, struct conf *conf,
		     struct err *e)
{
	int r;

	if (whereabouts_is(ipam->obj))
		return whereabouts_read(ipam, conf, e);
	r = read_native(call, ipam, conf, e);
	if (r)
		return r;
	if (nvipam_is(ipam->obj) || (!conf->named_count && !conf->inline_pool.set_count))
		r = nvipam_read(ipam, call->conf.args_cni, conf, e);
	for (size_t i = 0; !r && i < conf->named_count; i++)
		if (!cni_name_is_valid(conf->named[i]))
			r = err_set(e, CNI_ERR_CONFIG, 0, "'%s' is not a pool's name",
				    conf->named[i]);
	return r;
}

int conf_read(const struct cni_call *call, struct conf *ret, struct err *e)
{
	const struct field_of ipam = { call->conf.ipam, "ipam.", CNI_ERR_CONFIG };
	auto_conf struct conf conf = { .network = call->conf.name, .pools_dir = CONF_POOLS_DIR };
	const char *node = "";
	int r;

	if (!ipam.obj)
		return err_set(e, CNI_ERR_CONFIG, 0,
			       "ipam is required: it says which addresses to give");
	r = conf_data_dir(call, &conf.data_dir, e);
	r = r ?: read_dir(&ipam, "poolsDir", &conf.pools_dir, e);
	r = r ?: field_str(&ipam, "nodeName", &node, e);
	r = r ?: conf_node_name(node, conf.node, e);
	r = r ?: read_form(call, &ipam, &conf, e);
	r = r ?: read_requested(call, &conf, e);
	if (r)
		return r;
	*ret = conf;
	memset(&conf, 0, sizeof(conf));
	return 0;
}

void conf_done(struct conf *conf)
{
	pool_done(&conf->inline_pool);
	free(conf->requested);
	json_decref(conf->keep);
}
