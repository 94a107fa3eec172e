/* SPDX-License-Identifier: Apache-2.0 */
/* The record of an attachment, whatever its file has become. */
#include "fuzz.h"

#include "record.h"
#include "state_json.h"

static void states_survive(const struct vf_state *state)
{
	json_auto_t *json = state_to_json(state);
	struct vf_state again;
	struct err e;

	fuzz_must(json && !state_from_json(json, &again, &e));
	fuzz_must(!vf_diff(&again, state));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *root = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
	struct record r = { 0 };
	struct err e = { 0 };
	char pod[64];

	if (!root)
		return 0;
	if (record_parse(root, "0000:01:10.0", &r, &e)) {
		fuzz_must(e.code == CNI_ERR_IO && *e.msg);
		return 0;
	}
	states_survive(&r.before);
	states_survive(&r.want);
	record_pod(&r, pod, sizeof(pod));
	record_done(&r);
	return 0;
}
