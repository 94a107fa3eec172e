/* SPDX-License-Identifier: Apache-2.0 */
/* What the plugins that we replace have kept of an attachment; the files are the fuzz harness' corpus. */
#include "unit.h"

#include "base/cleanup.h"
#include "legacy.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>

static int parse_file(enum plugin_name name, const char *file, struct legacy *ret)
{
	char path[512];
	struct err e;
	json_t *root;

	snprintf(path, sizeof(path), "%s/%s", getenv("LEGACY_CORPUS"), file);
	root = json_load_file(path, 0, NULL);
	assert_non_null(root);
	return legacy_parse(name, root, ret, &e);
}

static void sriov_restores_what_it_had_set(void **state)
{
	struct legacy l;
	char mac[HWADDR_TEXT];

	(void)state;
	assert_int_equal(parse_file(NAME_SRIOV, "sriov-2.9.json", &l), 0);
	assert_string_equal(l.bdf, "0000:01:10.0");
	assert_int_equal(l.before.fields, VF_NETNS | VF_NAME | VF_FLAGS | VF_MAC | VF_MTU |
						  VF_PF_MAC | VF_PF_VLAN | VF_PF_SPOOFCHK |
						  VF_PF_TRUST | VF_PF_LINK_STATE | VF_PF_RATE);
	assert_int_equal(l.before.place, VF_HOST);
	assert_string_equal(l.before.name, "eth2");
	assert_string_equal(hwaddr_format(&l.before.mac, mac), "5a:11:22:33:44:55");
	assert_true(hwaddr_is_zero(&l.before.pf.mac));
	assert_int_equal(l.before.mtu, 1500);
	assert_int_equal(l.before.pf.vlan, 7);
	assert_int_equal(l.before.pf.qos, 2);
	assert_int_equal(l.before.pf.vlan_proto, ETH_P_8021AD);
	assert_true(l.before.pf.spoofchk);
	assert_false(l.before.pf.trust);
	assert_int_equal(l.before.pf.link_state, IFLA_VF_LINK_STATE_AUTO);
	assert_int_equal(l.before.pf.max_rate, 100);
	legacy_done(&l);
}

static void sriov_leaves_the_rest(void **state)
{
	struct legacy l;

	(void)state;
	assert_int_equal(parse_file(NAME_SRIOV, "sriov-2.6.json", &l), 0);
	assert_int_equal(l.before.fields, VF_NETNS | VF_NAME | VF_FLAGS | VF_MAC | VF_PF_VLAN);
	assert_int_equal(l.before.pf.vlan, 0);
	assert_int_equal(l.before.pf.vlan_proto, ETH_P_8021Q);
	legacy_done(&l);

	assert_int_equal(parse_file(NAME_SRIOV, "sriov-vfio.json", &l), 0);
	assert_int_equal(l.before.fields, VF_PF_VLAN | VF_PF_TRUST);
	assert_int_equal(l.before.pf.vlan, 5);
	assert_int_equal(l.before.pf.vlan_proto, ETH_P_8021Q);
	assert_true(l.before.pf.trust);
	legacy_done(&l);
}

static void rdma_and_ib_sriov(void **state)
{
	struct legacy l;

	(void)state;
	assert_int_equal(parse_file(NAME_RDMA, "rdma.json", &l), 0);
	assert_int_equal(l.before.fields, VF_RDMA);
	assert_int_equal(l.before.rdma_count, 1);
	assert_string_equal(l.before.rdma[0].name, "mlx5_0");
	assert_int_equal(l.before.rdma[0].place, VF_HOST);
	legacy_done(&l);

	assert_int_equal(parse_file(NAME_IB_SRIOV, "ib-sriov.json", &l), 0);
	assert_int_equal(l.before.fields, VF_NETNS | VF_NAME | VF_FLAGS | VF_RDMA |
						  VF_PF_LINK_STATE | VF_PF_NODE_GUID |
						  VF_PF_PORT_GUID);
	assert_true(l.before.pf.port_guid == 0x02c9030000000012);
	assert_string_equal(l.before.name, "ibp4s0f0v5");
	assert_string_equal(l.before.rdma[0].name, "mlx5_7");
	legacy_done(&l);
}

static void nothing_of_it_is_believed(void **state)
{
	static const struct {
		enum plugin_name name;
		const char *file;
	} cases[] = {
		{ NAME_SRIOV, "device-is-a-path" },
		{ NAME_SRIOV, "name-is-a-path" },
		{ NAME_SRIOV, "values" },
		{ NAME_SRIOV, "vlan" },
		{ NAME_SRIOV, "array" },
		{ NAME_SRIOV, "types" },
		{ NAME_SRIOV, "rdma.json" },
		{ NAME_RDMA, "rdma-is-a-path" },
		{ NAME_IB_SRIOV, "rdma-is-a-path" },
		{ NAME_RDMA, "rdma-long" },
	};
	struct legacy l;

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++)
		assert_int_equal(parse_file(cases[i].name, cases[i].file, &l), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sriov_restores_what_it_had_set),
		cmocka_unit_test(sriov_leaves_the_rest),
		cmocka_unit_test(rdma_and_ib_sriov),
		cmocka_unit_test(nothing_of_it_is_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
