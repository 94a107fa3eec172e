/* SPDX-License-Identifier: Apache-2.0 */
/* A prevResult, or what an IPAM plugin printed: read as any version, written as every version. */
#include "fuzz.h"

#include "base/cleanup.h"
#include "cni/result.h"

/* What was written reads as what it was written from, as far as its version can tell. */
static void write_again(const struct cni_result *result, enum cni_version version, bool ipam)
{
	auto_cni_result struct cni_result again = { 0 };
	json_auto_t *doc = NULL, *doc_again = NULL;
	struct err e = { 0 };

	if (cni_result_build(result, version, ipam, &doc, &e)) {
		fuzz_must(e.code == CNI_ERR_VERSION && version <= CNI_VERSION_0_2_0);
		return;
	}
	fuzz_must(!cni_result_parse(doc, CNI_VERSION_NEWEST, &again, &e));
	fuzz_must(again.ip_count == result->ip_count);
	fuzz_must(!cni_result_build(&again, version, ipam, &doc_again, &e));
	fuzz_must(json_equal(doc, doc_again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_auto_t *json = json_loadb((const char *)data, size, JSON_DECODE_ANY, NULL);

	if (!json)
		return 0;
	for (int fallback = 0; fallback < CNI_VERSION_COUNT; fallback++) {
		auto_cni_result struct cni_result result = { 0 };
		struct err e = { 0 };

		if (cni_result_parse(json, (enum cni_version)fallback, &result, &e)) {
			fuzz_must(e.code && *e.msg && !result.ips);
			continue;
		}
		for (size_t i = 0; i < result.ip_count; i++)
			fuzz_must(result.ips[i].interface >= -1 &&
				  (result.ips[i].interface == -1 ||
				   (size_t)result.ips[i].interface < result.interface_count));
		for (int version = 0; version < CNI_VERSION_COUNT; version++) {
			write_again(&result, (enum cni_version)version, false);
			write_again(&result, (enum cni_version)version, true);
		}
	}
	return 0;
}
