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
	enum nic nic;
} mistakes[] = {
	{ "before", "name", "VF name", NIC_ANY },
	{ "before", "mac", "VF mac", NIC_ETHERNET },
	{ "before", "mac pfMac", "PF mac", NIC_ETHERNET }, /* either would bring the other back */
	{ "before", "mtu", "VF mtu", NIC_ANY },
	{ "before", "txqlen", "VF txqlen", NIC_ANY },
	{ "before", "flags", "VF flags", NIC_ETHERNET }, /* InfiniBand's interface is made anew */
	{ "before", "alias", "VF alias", NIC_ANY },
	{ "before", "group", "VF group", NIC_ANY },
	{ "before", "altnames", "VF altnames", NIC_ANY },
	{ "before", "vlan", "PF vlan", NIC_ETHERNET },
	{ "before", "spoofchk", "PF spoofchk", NIC_ETHERNET },
	{ "before", "trust", "PF trust", NIC_ETHERNET },
	{ "before", "txRate", "PF max_tx_rate", NIC_ETHERNET },
	{ "before", "linkState", "PF link_state", NIC_INFINIBAND },
	{ "before", "nodeGuid", "PF node_guid", NIC_INFINIBAND },
	{ "before", "portGuid", "PF port_guid", NIC_INFINIBAND },
	{ "before", "rdma", "rdma netns", NIC_ETHERNET },
	{ "before", "rdma", "rdma name",
	  NIC_INFINIBAND }, /* it is home all the same, being made anew */
	{ "conf", "ipam", "lease held", NIC_ANY },
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
	unsigned int planted = 0;

	for (size_t i = 0; i < array_size(mistakes); i++)
		if (!mistakes[i].nic || mistakes[i].nic == s->nic) {
			plant(s, i);
			planted++;
		}
	printf("%u mistakes planted, %u not caught\n", planted, s->failed);
	return s->failed;
}
