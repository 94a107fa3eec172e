/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "vf/state.h"

#include <linux/if_ether.h>

static void only_wanted_fields_differ(void **state)
{
	struct vf_state now = {
		.fields = VF_LINK | VF_PF, .mtu = 1500, .name = "eth0", .pf.vlan = 0
	};
	struct vf_state want = {
		.fields = VF_MTU | VF_PF_VLAN, .mtu = 4500, .name = "net1", .pf.vlan = 100
	};

	(void)state;
	assert_int_equal(vf_diff(&now, &want), VF_MTU | VF_PF_VLAN);
	want.mtu = 1500;
	assert_int_equal(vf_diff(&now, &want), VF_PF_VLAN);
	want.pf.vlan = 0;
	assert_int_equal(vf_diff(&now, &want), 0);
	now.fields &= ~(unsigned int)VF_MTU; /* what is not known differs */
	assert_int_equal(vf_diff(&now, &want), VF_MTU);
}

/* Changing any one field, and no other, makes exactly that one differ. */
static void each_field_differs_by_itself(void **state)
{
	const struct vf_state base = { .fields = VF_FIELD_END - 1,
				       .pf.vlan = 1,
				       .pf.vlan_proto = ETH_P_8021Q,
				       .rdma_count = 1 };

	(void)state;
	for (unsigned int field = 1; field < VF_FIELD_END; field <<= 1) {
		struct vf_state s = base;

		if (field == VF_NETNS)
			s.place = VF_POD;
		else if (field == VF_NAME)
			s.name[0] = 'x';
		else if (field == VF_MAC)
			s.mac.len = 6;
		else if (field == VF_MTU)
			s.mtu++;
		else if (field == VF_TXQLEN)
			s.txqlen++;
		else if (field == VF_FLAGS)
			s.flags = IFF_PROMISC;
		else if (field == VF_ALIAS)
			s.alias[0] = 'x';
		else if (field == VF_ALTNAMES)
			s.altname_count++;
		else if (field == VF_GROUP)
			s.group = 7;
		else if (field == VF_PF_MAC)
			s.pf.mac.len = 20;
		else if (field == VF_PF_VLAN)
			s.pf.vlan_proto = ETH_P_8021AD;
		else if (field == VF_PF_SPOOFCHK)
			s.pf.spoofchk = true;
		else if (field == VF_PF_TRUST)
			s.pf.trust = true;
		else if (field == VF_PF_LINK_STATE)
			s.pf.link_state = 1;
		else if (field == VF_PF_RATE)
			s.pf.min_rate = 1;
		else if (field == VF_PF_NODE_GUID)
			s.pf.node_guid = 1;
		else if (field == VF_PF_PORT_GUID)
			s.pf.port_guid = 1;
		else if (field == VF_RDMA_NETNS)
			s.rdma[0].place = VF_POD;
		else if (field == VF_RDMA_NAME)
			s.rdma[0].name[0] = 'x';
		else if (field == VF_DRIVER)
			s.driver[0] = 'x';
		assert_int_equal(vf_diff(&s, &base), field);
		assert_string_not_equal(vf_field_name(field), "?");
	}
}

/* Of an IPoIB address only the GUID counts, and a GUID that was never set can come back as something else only. */
static void a_guid_comes_back_as_far_as_it_can(void **state)
{
	struct vf_state now = { .fields = VF_MAC | VF_PF_GUIDS, .mac = { 20, { 0x80, 0, 1, 2 } } };
	struct vf_state want = now;

	(void)state;
	now.mac.bytes[3] = 3;
	assert_int_equal(vf_diff(&now, &want), 0);
	now.mac.bytes[19] = 1;
	assert_int_equal(vf_diff(&now, &want), VF_MAC);
	now.mac.len = 6;
	assert_int_equal(vf_diff(&now, &want), VF_MAC);
	now.mac = want.mac;

	now.pf.node_guid = UINT64_MAX;
	now.pf.port_guid = 5;
	assert_int_equal(vf_diff(&now, &want), VF_PF_PORT_GUID);
	assert_true(vf_settable_guid(&want, 0) == UINT64_MAX);
	want.mac.bytes[19] = 5; /* the firmware has chosen one */
	want.fields &= ~(unsigned int)VF_MAC;
	assert_int_equal(vf_diff(&now, &want), VF_PF_NODE_GUID);
	assert_true(vf_settable_guid(&want, 0) == 5);
	assert_true(vf_settable_guid(&want, 7) == 7);
	want.pf.node_guid = 7;
	now.pf.node_guid = 0;
	assert_int_equal(vf_diff(&now, &want), VF_PF_NODE_GUID);
}

static void altnames_are_a_set(void **state)
{
	struct vf_state a = { .fields = VF_ALTNAMES, .altname_count = 2, .altnames = { "x", "y" } };
	struct vf_state b = { .fields = VF_ALTNAMES, .altname_count = 2, .altnames = { "y", "x" } };

	(void)state;
	assert_int_equal(vf_diff(&a, &b), 0);
	strcpy(b.altnames[0], "z");
	assert_int_equal(vf_diff(&a, &b), VF_ALTNAMES);
	a.altname_count = b.altname_count = 200; /* more than a state holds: no overrun */
	assert_int_equal(vf_diff(&a, &a), 0);
}

static void differences_are_readable(void **state)
{
	struct vf_state now = { .fields = VF_LINK | VF_PF,
				.mtu = 1500,
				.flags = IFF_UP | IFF_PROMISC };
	struct vf_state want = now;
	char text[200];

	(void)state;
	want.mtu = 4500;
	want.pf.vlan = 100;
	want.pf.qos = 3;
	want.place = VF_POD;
	want.flags = 0;
	assert_string_equal(
		vf_diff_format(&now, &want, vf_diff(&now, &want), text, sizeof(text)),
		"netns is host, not pod; mtu is 1500, not 4500; flags is up,promisc, not none; "
		"vlan is 0 qos 0, not 100 qos 3");
	/* cut, not overrun */
	vf_diff_format(&now, &want, vf_diff(&now, &want), text, 20);
	assert_int_equal(strlen(text), 19);
}

static struct vf_state rdma_state(unsigned int count, const struct vf_rdma *devs)
{
	struct vf_state s = { .rdma_count = count };

	memcpy(s.rdma, devs, count * sizeof(*devs));
	return s;
}

/* Two that have come home under each other's names, or under the kernel's, get their own back. */
static void rdma_devices_are_known_by_what_stays(void **state)
{
	const struct vf_rdma a = { .id = 5, .guid = 1, .name = "mlx5_4" },
			     b = { .id = 9, .guid = 1, .name = "mlx5_9" },
			     c = { .id = 7, .guid = 2, .parent = "x.rdma.1", .name = "mlx5_c" };
	struct vf_rdma first = b, second = a;
	struct vf_state want, now;

	(void)state;
	strcpy(first.name, "mlx5_4");
	strcpy(second.name, "ibdev0");
	want = rdma_state(2, (const struct vf_rdma[]){ a, b });
	now = rdma_state(2, (const struct vf_rdma[]){ first, second });
	vf_align_rdma(&want, &now);
	assert_string_equal(want.rdma[0].name, "mlx5_9");
	assert_string_equal(want.rdma[1].name, "mlx5_4");

	/* the driver has made them anew: new indexes; by parent and GUID, then by parent, then in their order */
	want = rdma_state(3, (const struct vf_rdma[]){ a, b, c });
	now = rdma_state(3, (const struct vf_rdma[]){ { .id = 20, .guid = 2, .parent = "x.rdma.1" },
						      { .id = 21, .guid = 1 },
						      { .id = 22, .guid = 3 } });
	vf_align_rdma(&want, &now);
	assert_string_equal(want.rdma[0].name, "mlx5_c");
	assert_string_equal(want.rdma[1].name, "mlx5_4");
	assert_string_equal(want.rdma[2].name, "mlx5_9");

	/* one is gone, and one is new */
	want = rdma_state(2, (const struct vf_rdma[]){ a, b });
	now = rdma_state(1, &b);
	vf_align_rdma(&want, &now);
	assert_int_equal(want.rdma_count, 1);
	assert_string_equal(want.rdma[0].name, "mlx5_9");
	want = rdma_state(1, &a);
	now = rdma_state(
		2, (const struct vf_rdma[]){ a, { .id = 30, .place = VF_POD, .name = "new" } });
	vf_align_rdma(&want, &now);
	assert_int_equal(want.rdma_count, 2);
	assert_string_equal(want.rdma[1].name, "new");
	assert_int_equal(want.rdma[1].place, VF_HOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_wanted_fields_differ),
		cmocka_unit_test(each_field_differs_by_itself),
		cmocka_unit_test(a_guid_comes_back_as_far_as_it_can),
		cmocka_unit_test(altnames_are_a_set),
		cmocka_unit_test(differences_are_readable),
		cmocka_unit_test(rdma_devices_are_known_by_what_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
