/* SPDX-License-Identifier: Apache-2.0 */
/* What a delegate prints, for each way to end. */
#include "fuzz.h"

#include "base/cleanup.h"
#include "cni/outcome.h"
#include "cni/result.h"

#include <signal.h>

#define EXITED(status) ((status) << 8) /* as waitpid has it */

static void judge(const struct input *printed, enum cni_verb verb, int status)
{
	auto_cni_result struct cni_result result = { 0 };
	json_auto_t *output = NULL;
	struct err e = { 0 };

	if (outcome_judge(verb, "ipam", status, printed, &output, &e)) {
		fuzz_must(e.code > 0 && strstr(e.msg, "ipam") && !output);
		return;
	}
	fuzz_must(!status);
	fuzz_must(!output == (verb != CNI_VERB_ADD));
	if (output)
		cni_result_parse(output, CNI_VERSION_1_0_0, &result, &e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int statuses[] = { EXITED(0), EXITED(1), EXITED(255), SIGKILL };
	auto_free char *copy = malloc(size ? size : 1);
	const struct input printed = { copy, size, size };

	fuzz_must(copy);
	memcpy(copy, data, size);
	for (size_t i = 0; i < array_size(statuses); i++) {
		judge(&printed, CNI_VERB_ADD, statuses[i]);
		judge(&printed, CNI_VERB_DEL, statuses[i]);
	}
	return 0;
}
