/* SPDX-License-Identifier: Apache-2.0 */
/* A document as all that cni-ipam reads: a pool file, an object of nv-ipam, a network configuration. */
#include "fuzz.h"

#include "base/cleanup.h"
#include "nvipam.h"

/* What is given out is in order, apart, and inside a subnet of its set; and can be remembered. */
static void check_pool(const struct pool *pool)
{
	auto_free char *text = pool_digest_write(pool), *again_text = NULL;
	auto_pool struct pool again = { 0 };

	for (size_t i = 0; i < pool->set_count; i++) {
		const struct set *set = &pool->sets[i];

		for (size_t k = 0; k < set->ranges.count; k++) {
			const struct range *r = &set->ranges.v[k];
			struct inet_addr lo = addr_key_to(r->lo), hi = addr_key_to(r->hi);

			fuzz_must(r->lo <= r->hi && (!k || r->lo - 1 > set->ranges.v[k - 1].hi));
			fuzz_must(set_subnet_of(set, &lo) && set_subnet_of(set, &hi));
		}
	}
	fuzz_must(text && !pool_digest_read(text, &again));
	again_text = pool_digest_write(&again);
	fuzz_must(again_text && !strcmp(text, again_text));
}

static void read_pool(json_t *json)
{
	auto_pool struct pool pool = { 0 };
	struct err e = { 0 };
	int r = nvipam_object_kind(json) == POOL_ANY
			? pool_read_native(json, "p", "node-b", &pool, &e)
			: nvipam_object_read(json, "node-b", &pool, &e);

	fuzz_must(!r == !e.code && !r == !*e.msg);
	if (!r)
		check_pool(&pool);
}

static void read_conf(const uint8_t *data, size_t size)
{
	struct cni_call call = { .env = { .args = "IP=10.0.0.5,fd00::5/64", .netns = "" } };
	auto_conf struct conf conf = { 0 };
	struct err e = { 0 };
	int r;

	if (cni_conf_parse((const char *)data, size, CNI_VERB_ADD, &call.conf, &e))
		return;
	json_object_del(call.conf.ipam, "resolvConf"); /* no file of this machine is an input */
	r = conf_read(&call, &conf, &e);
	fuzz_must(!r == !e.code && !r == !*e.msg);
	if (!r)
		check_pool(&conf.inline_pool);
	for (size_t i = 0; i < conf.named_count; i++)
		fuzz_must(!strchr(conf.named[i], '/'));
	cni_conf_done(&call.conf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_auto_t *json = json_loadb((const char *)data, size, 0, NULL);

	if (!json_is_object(json))
		return 0;
	read_pool(json);
	read_conf(data, size);
	return 0;
}
