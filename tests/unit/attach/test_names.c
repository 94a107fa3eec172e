/* SPDX-License-Identifier: Apache-2.0 */
/* As which plugin a call is served, and the defaults that follow. JSON is written with ' for " here. */
#include "unit.h"

#include "base/cleanup.h"
#include "conf.h"
#include "record.h"

#include <errno.h>

/* A configuration of a type, with these keys more. */
static int parse(const char *type, const char *program, const char *keys, struct attach_conf *ret)
{
	struct cni_call call = { .program = program, .env = { .args = "" } };
	char text[1024];
	struct err e;
	int r;

	snprintf(text, sizeof(text),
		 "{'cniVersion':'1.1.0','name':'n','deviceID':'0000:01:10.0'%s%s%s%s%s}",
		 type ? ",'type':'" : "", type ? type : "", type ? "'" : "", *keys ? "," : "",
		 keys);
	for (char *c = text; *c; c++)
		if (*c == '\'')
			*c = '"';
	call.env.verb = CNI_VERB_ADD;
	assert_int_equal(cni_conf_parse(text, strlen(text), CNI_VERB_ADD, &call.conf, &e), 0);
	r = attach_conf_parse(&call, ret, &e);
	cni_conf_done(&call.conf); /* what is looked at here are no strings of it */
	return r;
}

static void type_wins_over_the_program(void **state)
{
	static const struct {
		const char *type, *program;
		enum plugin_name name;
	} cases[] = {
		{ "sriov", "sriov", NAME_SRIOV },
		{ "sriov", "cni-sriov-rdma", NAME_SRIOV },
		{ "cni-sriov-rdma", "sriov", NAME_OWN },
		{ "ib-sriov", "sriov", NAME_IB_SRIOV },
		{ "rdma", "", NAME_RDMA },
		{ "multus", "sriov", NAME_SRIOV },
		{ NULL, "rdma", NAME_RDMA },
		{ NULL, NULL, NAME_OWN },
		{ "", "", NAME_OWN },
		{ "SRIOV", "sriov-cni", NAME_OWN },
		{ "anything", "renamed", NAME_OWN },
	};
	struct attach_conf c;

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		assert_int_equal(parse(cases[i].type, cases[i].program, "", &c), 0);
		assert_int_equal(c.name, cases[i].name);
	}
}

/* Who calls it sriov has no error from RDMA that he did not have before, unless he asks for RDMA. */
static void sriov_leaves_rdma_as_it_finds_it(void **state)
{
	struct attach_conf c;

	(void)state;
	for (int ib = 0; ib < 2; ib++) {
		const char *type = ib ? "ib-sriov" : "sriov";

		assert_int_equal(parse(type, "", "'capabilities':{'rdma':true}", &c), 0);
		assert_int_equal(c.rdma_mode, RDMA_KEEP);
		assert_true(c.rdma_lenient);
		assert_false(c.rdma_required);
		assert_true(c.rdma_ready_ms < 500);
		assert_int_equal(parse(type, "", "'rdma':{'required':true}", &c), 0);
		assert_int_equal(c.rdma_mode, RDMA_KEEP);
		assert_false(c.rdma_lenient);
		assert_int_equal(parse(type, "", "'rdma':{'netnsMode':'exclusive'}", &c), 0);
		assert_int_equal(c.rdma_mode, RDMA_EXCLUSIVE);
		assert_false(c.rdma_lenient);
	}
	assert_int_equal(parse("cni-sriov-rdma", "", "'capabilities':{'rdma':true}", &c), 0);
	assert_int_equal(c.rdma_mode, RDMA_EXCLUSIVE);
	assert_true(c.rdma_required);
}

static void rdma_isolation_is_ib_sriovs(void **state)
{
	struct attach_conf c;

	(void)state;
	assert_int_equal(parse("ib-sriov", "", "'rdmaIsolation':true", &c), 0);
	assert_int_equal(c.rdma_mode, RDMA_EXCLUSIVE);
	assert_true(c.rdma_required);
	assert_false(c.rdma_lenient);
	assert_int_equal(c.rdma_uverbs_changed, FAULT_WARN);
	assert_int_equal(parse("ib-sriov", "", "'rdmaIsolation':false", &c), 0);
	assert_true(c.rdma_lenient);
	assert_int_equal(parse("sriov", "", "'rdmaIsolation':true", &c), 0);
	assert_true(c.rdma_lenient);
}

/* In a chain it is handed keys that are not its own. */
static void rdma_looks_at_rdma_only(void **state)
{
	struct attach_conf c;

	(void)state;
	assert_int_equal(parse("rdma", "", "'vlan':5000,'deviceID':''", &c), 0);
	assert_int_equal(c.want.fields, 0);
	assert_int_equal(c.rdma_mode, RDMA_EXCLUSIVE);
	assert_true(c.rdma_required);
	assert_string_equal(c.records, RECORDS_RDMA);
	assert_int_equal(parse("sriov", "", "", &c), 0);
	assert_string_equal(c.records, RECORDS);
	assert_int_equal(parse("sriov", "", "'deviceID':''", &c), -EINVAL);
}

/* What the operator always writes. */
static void vlan_0_is_a_wish(void **state)
{
	struct attach_conf c;

	(void)state;
	assert_int_equal(parse("sriov", "", "'vlan':0,'vlanQoS':0,'vlanProto':'802.1Q'", &c), 0);
	assert_int_equal(c.want.fields, VF_PF_VLAN);
	assert_int_equal(c.want.pf.vlan, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(type_wins_over_the_program),
		cmocka_unit_test(sriov_leaves_rdma_as_it_finds_it),
		cmocka_unit_test(rdma_isolation_is_ib_sriovs),
		cmocka_unit_test(rdma_looks_at_rdma_only),
		cmocka_unit_test(vlan_0_is_a_wish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
