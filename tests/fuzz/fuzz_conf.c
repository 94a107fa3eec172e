/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration on stdin, for every verb. */
#include "fuzz.h"

#include "base/cleanup.h"
#include "cni/conf.h"

static void read_attachments(const struct cni_conf *conf)
{
	auto_free struct cni_attachment *list = NULL;
	size_t count = 0;
	bool given = false;
	struct err e = { 0 };

	if (cni_conf_valid_attachments(conf, &list, &count, &given, &e)) {
		fuzz_must(e.code == CNI_ERR_CONFIG && *e.msg);
		return;
	}
	fuzz_must(given || !count);
	for (size_t i = 0; i < count; i++)
		fuzz_must(
			cni_attachment_is_valid(list, count, list[i].container_id, list[i].ifname));
}

/* Each key as every type; the messages quote whatever is there. */
static void read_keys(json_t *obj)
{
	const char *key, *text = "";
	json_t *value, *got = NULL;
	uint32_t n = 7;
	bool flag = false;
	struct err e;

	json_object_foreach(obj, key, value) {
		cni_json_str(obj, "x.", key, &text, &e);
		cni_json_bool(obj, "x.", key, &flag, &e);
		cni_json_u32(obj, "x.", key, 7, 4094, &n, NULL, &e);
		cni_json_object(obj, "x.", key, &got, &e);
		cni_json_array(obj, "x.", key, &got, &e);
		fuzz_must(n >= 7 && n <= 4094);
	}
}

/* A delegate gets the document as we would write it: nothing of it may be lost. */
static void write_again(json_t *root)
{
	auto_free char *text = json_dumps(root, JSON_COMPACT);
	json_auto_t *again = NULL;

	fuzz_must(text);
	again = json_loads(text, 0, NULL);
	fuzz_must(json_equal(root, again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int verb = CNI_VERB_ADD; verb <= CNI_VERB_VERSION; verb++) {
		auto_cni_conf struct cni_conf conf = { 0 };
		struct err e = { 0 };

		if (cni_conf_parse((const char *)data, size, (enum cni_verb)verb, &conf, &e)) {
			fuzz_must(e.code && *e.msg && !conf.root);
			continue;
		}
		fuzz_must(verb == CNI_VERB_VERSION || cni_name_is_valid(conf.name));
		fuzz_must(!conf.ipam || *json_string_value(json_object_get(conf.ipam, "type")));
		read_attachments(&conf);
		read_keys(conf.root);
		if (conf.root)
			write_again(conf.root);
	}
	return 0;
}
