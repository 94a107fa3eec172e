/* SPDX-License-Identifier: Apache-2.0 */
/* The state files of sriov-cni, ib-sriov-cni and rdma-cni, whatever they have become. */
#include "fuzz.h"

#include "legacy.h"

static void parse_as(enum plugin_name name, const uint8_t *data, size_t size)
{
	json_t *root = json_loadb((const char *)data, size, 0, NULL);
	char bdf[PCI_ADDR_MAX];
	struct legacy l = { 0 };
	struct err e = { 0 };

	if (!root)
		return;
	if (legacy_parse(name, root, &l, &e)) {
		fuzz_must(e.code == CNI_ERR_IO && *e.msg);
		return;
	}
	fuzz_must(!pci_addr_parse(l.bdf, bdf) && !strcmp(bdf, l.bdf));
	fuzz_must(l.before.place == VF_HOST && l.before.rdma_count <= 1);
	fuzz_must(!(l.before.fields & VF_NAME) || cni_ifname_is_valid(l.before.name));
	fuzz_must(!strchr(l.before.rdma[0].name, '/'));
	legacy_done(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	parse_as(NAME_SRIOV, data, size);
	parse_as(NAME_IB_SRIOV, data, size);
	parse_as(NAME_RDMA, data, size);
	return 0;
}
