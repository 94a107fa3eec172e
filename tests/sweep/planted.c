/* SPDX-License-Identifier: Apache-2.0 */
/* Mistakes that are planted, to see that the comparison catches each. */
#include "planted.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* A record that has lost a part is a program that forgets to restore it. */
static const struct {
	const char *part; /* of the record */
	const char *keys; /* in that part, which are taken out */
	const char *kind; /* what must be found to differ */
} mistakes[] = {
	{ "before", "name", "VF name" },     { "before", "mac", "VF mac" },
	{ "before", "mac pfMac", "PF mac" }, /* either would bring the other back */
	{ "before", "mtu", "VF mtu" },	     { "before", "txqlen", "VF txqlen" },
	{ "before", "flags", "VF flags" },   { "before", "alias", "VF alias" },
	{ "before", "group", "VF group" },   { "before", "altnames", "VF altnames" },
	{ "before", "vlan", "PF vlan" },     { "before", "spoofchk", "PF spoofchk" },
	{ "before", "trust", "PF trust" },   { "before", "txRate", "PF max_tx_rate" },
	{ "before", "rdma", "rdma netns" },  { "conf", "ipam", "lease held" },
};

struct catch
{
	const struct sweep *s;
	const char *kind;
	bool caught;
};

static void look_for_kind(const char *key, const char *before, const char *after, void *arg)
{
	struct catch *c = arg;
	char kind[96];

	(void)before;
	(void)after;
	c->caught |= !strcmp(kind_of(c->s, key, kind), c->kind);
}

static void plant(struct sweep *s, size_t i)
{
	struct catch catch = { s, mistakes[i].kind, false };
	char path[128], label[64], keys[32];
	json_t *record, *whole;
	struct state now;

	snprintf(label, sizeof(label), "planted: %s is forgotten", mistakes[i].kind);
	begin_case(s, label);
	snprintf(path, sizeof(path), RECORD_DIR "/%s.json", s->bdf);
	prepare(s, VERB_DEL);
	record = json_load_file(path, 0, NULL);
	whole = json_deep_copy(record);
	snprintf(keys, sizeof(keys), "%s", mistakes[i].keys);
	for (char *key = strtok(keys, " "); key; key = strtok(NULL, " "))
		if (json_object_del(json_object_get(record, mistakes[i].part), key))
			complain(s, "the record has no %s", key);
	json_dump_file(record, path, 0);
	call(s, "DEL", POD);
	see(&now);
	state_diff(&s->before, &now, look_for_kind, &catch);
	state_done(&now);
	if (!catch.caught)
		complain(s, "the comparison does not see it");
	/* with the whole record, the node can be put right */
	json_dump_file(whole, path, 0);
	end_pod(s, POD);
	call(s, "repair", POD);
	json_decref(record);
	json_decref(whole);
	compare(s);
	printf("%s %s\n", s->case_failed ? "not ok" : "ok", label);
	s->failed += s->case_failed;
}

unsigned int planted_run(struct sweep *s)
{
	for (size_t i = 0; i < array_size(mistakes); i++)
		plant(s, i);
	printf("%zu mistakes planted, %u not caught\n", array_size(mistakes), s->failed);
	return s->failed;
}
