/* SPDX-License-Identifier: Apache-2.0 */
/* JSON is written with ' for " here, so that it can be read. */
#include "unit.h"

#include "base/cleanup.h"
#include "conf.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>

static struct cni_env env = { .verb = CNI_VERB_ADD, .args = "", .ifname = "net1" };

/* A configuration with a device, and these keys more. */
static int parse(const char *keys, struct cni_call *call, struct attach_conf *ret, struct err *e)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "{'cniVersion':'1.1.0','name':'n','deviceID':'0000:01:10.0'%s%s}",
		 *keys ? "," : "", keys);
	for (char *c = text; *c; c++)
		if (*c == '\'')
			*c = '"';
	call->env = env;
	assert_int_equal(cni_conf_parse(text, strlen(text), CNI_VERB_ADD, &call->conf, e), 0);
	return attach_conf_parse(call, ret, e);
}

static void what_is_absent_stays_untouched(void **state)
{
	struct attach_conf c;
	struct cni_call call;
	struct err e;

	(void)state;
	assert_int_equal(parse("", &call, &c, &e), 0);
	assert_int_equal(c.want.fields, 0);
	assert_int_equal(c.rdma_mode, RDMA_EXCLUSIVE);
	assert_false(c.rdma_required);
	assert_string_equal(c.device_id, "0000:01:10.0");
	assert_string_equal(c.data_dir, "/var/lib/cni/cni-sriov-rdma");
	cni_conf_done(&call.conf);

	/* a rendered template's empty strings are as good as nothing */
	assert_int_equal(parse("'spoofchk':'','trust':'','link_state':'','mac':'','vlanProto':''",
			       &call, &c, &e),
			 0);
	assert_int_equal(c.want.fields, 0);
	cni_conf_done(&call.conf);
}

static void all_settings_are_read(void **state)
{
	struct attach_conf c;
	struct cni_call call;
	struct err e;

	(void)state;
	assert_int_equal(parse("'vlan':100,'vlanQoS':3,'vlanProto':'802.1AD','mtu':4500,"
			       "'mac':'02:00:00:00:00:0A','spoofchk':'off','trust':'on',"
			       "'link_state':'disable','min_tx_rate':10,'max_tx_rate':100,"
			       "'rdma':{'netnsMode':'keep','required':true}",
			       &call, &c, &e),
			 0);
	assert_int_equal(c.want.fields, VF_MAC | VF_MTU | VF_PF_MAC | VF_PF_VLAN | VF_PF_SPOOFCHK |
						VF_PF_TRUST | VF_PF_LINK_STATE | VF_PF_RATE);
	assert_int_equal(c.want.pf.vlan, 100);
	assert_int_equal(c.want.pf.qos, 3);
	assert_int_equal(c.want.pf.vlan_proto, ETH_P_8021AD);
	assert_int_equal(c.want.mtu, 4500);
	assert_int_equal(c.want.mac.bytes[5], 10);
	assert_true(hwaddr_equal(&c.want.mac, &c.want.pf.mac));
	assert_false(c.want.pf.spoofchk);
	assert_true(c.want.pf.trust);
	assert_int_equal(c.want.pf.link_state, IFLA_VF_LINK_STATE_DISABLE);
	assert_int_equal(c.want.pf.min_rate, 10);
	assert_int_equal(c.want.pf.max_rate, 100);
	assert_int_equal(c.rdma_mode, RDMA_KEEP);
	assert_true(c.rdma_required);
	cni_conf_done(&call.conf);

	/* vlan 0 is a setting, too: no VLAN; and the operator always writes both */
	assert_int_equal(parse("'vlan':0,'vlanQoS':0", &call, &c, &e), 0);
	assert_int_equal(c.want.fields, VF_PF_VLAN);
	cni_conf_done(&call.conf);
	/* a maximum of 0 is none */
	assert_int_equal(parse("'min_tx_rate':10,'max_tx_rate':0", &call, &c, &e), 0);
	cni_conf_done(&call.conf);
}

/* Whoever requires RDMA gets no pod without it, unless told otherwise. */
static void required_rdma_must_work(void **state)
{
	struct attach_conf c;
	struct cni_call call;
	struct err e;

	(void)state;
	assert_int_equal(parse("", &call, &c, &e), 0);
	assert_int_equal(c.rdma_not_ready, FAULT_WARN);
	assert_int_equal(c.rdma_uverbs_changed, FAULT_WARN);
	cni_conf_done(&call.conf);
	assert_int_equal(parse("'capabilities':{'rdma':true,'mac':true}", &call, &c, &e), 0);
	assert_true(c.rdma_required);
	assert_int_equal(c.rdma_not_ready, FAULT_FAIL);
	assert_int_equal(c.rdma_uverbs_changed, FAULT_FAIL);
	cni_conf_done(&call.conf);
	assert_int_equal(
		parse("'rdma':{'required':true,'onNotReady':'warn','onUverbsChange':'warn',"
		      "'readyTimeoutMs':100}",
		      &call, &c, &e),
		0);
	assert_int_equal(c.rdma_not_ready, FAULT_WARN);
	assert_int_equal(c.rdma_uverbs_changed, FAULT_WARN);
	assert_int_equal(c.rdma_ready_ms, 100);
	assert_int_equal(c.rdma_check, RDMA_CHECK_STATE);
	assert_int_equal(c.rdma_busy, FAULT_WARN);
	cni_conf_done(&call.conf);
	assert_int_equal(parse("'rdma':{'check':'verbs','onBusy':'fail'}", &call, &c, &e), 0);
	assert_int_equal(c.rdma_busy, FAULT_FAIL);
	assert_int_equal(c.rdma_check, RDMA_CHECK_VERBS);
	cni_conf_done(&call.conf);
}

static void what_is_wrong_is_named(void **state)
{
	static const struct {
		const char *keys, *names, *says;
	} cases[] = {
		{ "'deviceID':5", "deviceID: 5", "string" },
		{ "'deviceID':''", "deviceID", "missing" },
		{ "'vlan':4095", "vlan: 4095", "4094" },
		{ "'vlan':-1", "vlan: -1", "4094" },
		{ "'vlan':'100'", "vlan: \"100\"", "4094" },
		{ "'vlan':1.5", "vlan: 1.5", "4094" },
		{ "'vlan':100,'vlanQoS':8", "vlanQoS: 8", "7" },
		{ "'vlanQoS':3", "vlanQoS: 3", "needs a vlan" },
		{ "'vlan':0,'vlanQoS':3", "vlanQoS: 3", "needs a vlan" },
		{ "'vlan':100,'vlanProto':'802.1x'", "vlanProto: \"802.1x\"", "802.1q or 802.1ad" },
		{ "'vlan':0,'vlanProto':'802.1ad'", "vlanProto: 802.1ad", "needs a vlan" },
		{ "'vlanProto':'802.1ad'", "vlanProto: 802.1ad", "needs a vlan" },
		{ "'mtu':67", "mtu: 67", "68" },
		{ "'mtu':65536", "mtu: 65536", "65535" },
		{ "'mac':'01:00:00:00:00:01'", "mac: \"01:00:00:00:00:01\"", "unicast" },
		{ "'mac':'00:00:00:00:00:00'", "mac: \"00:00:00:00:00:00\"", "unicast" },
		{ "'mac':'02:00:00:00:00'", "mac: \"02:00:00:00:00\"", "6 bytes" },
		{ "'mac':'02:00:00:00:00:01:02'", "mac: ", "6 bytes" },
		{ "'runtimeConfig':{'mac':'x'}", "runtimeConfig.mac: \"x\"", "unicast" },
		{ "'args':{'cni':{'mac':'y'}}", "args.cni.mac: \"y\"", "unicast" },
		{ "'spoofchk':'yes'", "spoofchk: \"yes\"", "on or off" },
		{ "'spoofchk':true", "spoofchk: true", "string" },
		{ "'trust':'ON'", "trust: \"ON\"", "on or off" },
		{ "'link_state':'up'", "link_state: \"up\"", "auto, enable or disable" },
		{ "'min_tx_rate':200,'max_tx_rate':100", "min_tx_rate: 200", "max_tx_rate, 100" },
		{ "'max_tx_rate':-1", "max_tx_rate: -1", "0" },
		{ "'rdma':true", "rdma: true", "object" },
		{ "'rdma':{'netnsMode':'both'}", "rdma.netnsMode: \"both\"",
		  "exclusive, shared or keep" },
		{ "'rdma':{'onNotReady':'stop'}", "rdma.onNotReady: \"stop\"", "warn or fail" },
		{ "'rdma':{'onBusy':'wait'}", "rdma.onBusy: \"wait\"", "warn or fail" },
		{ "'rdma':{'check':'ping'}", "rdma.check: \"ping\"", "state or verbs" },
		{ "'rdma':{'check':true}", "rdma.check: true", "string" },
		{ "'rdma':{'onUverbsChange':1}", "rdma.onUverbsChange: 1", "string" },
		{ "'rdma':{'readyTimeoutMs':60001}", "rdma.readyTimeoutMs: 60001", "60000" },
		{ "'capabilities':{'rdma':'yes'}", "capabilities.rdma: \"yes\"", "true or false" },
		{ "'runtimeConfig':{'CNIDeviceInfoFile':'x'}",
		  "runtimeConfig.CNIDeviceInfoFile: \"x\"", "absolute path without .." },
		{ "'runtimeConfig':{'CNIDeviceInfoFile':'/a/../b'}",
		  "runtimeConfig.CNIDeviceInfoFile: ", "absolute path without .." },
		{ "'sysctl':{'kernel.hostname':'x'}", "sysctl: \"kernel.hostname\": \"x\"",
		  "only a network namespace's settings" },
		{ "'sysctl':{'net.ipv4.ip_forward':1}", "sysctl.net.ipv4.ip_forward: 1",
		  "string of one line" },
		{ "'sysctl':{'net.ipv4.ip_forward':''}", "sysctl.net.ipv4.ip_forward: \"\"",
		  "string of one line" },
		{ "'sysctl':{'net.ipv4.ip_forward':'1\\n'}",
		  "sysctl.net.ipv4.ip_forward: ", "string of one line" },
		{ "'sysctl':['x']", "sysctl: [\"x\"]", "object" },
		{ "'rdma':{'workloadDir':'/run/rdma'}", "rdma.workloadDir: \"/run/rdma\"",
		  "same for several pods" },
		{ "'rdma':{'workloadDir':5}", "rdma.workloadDir: 5", "string" },
		{ "'sourceRouting':'on'", "sourceRouting: \"on\"", "true or false" },
		{ "'rdma':{'required':'yes'}", "rdma.required: \"yes\"", "true or false" },
		{ "'dataDir':'state'", "dataDir: \"state\"", "absolute path without .." },
		{ "'dataDir':'/var/../etc'", "dataDir: \"/var/../etc\"",
		  "absolute path without .." },
		{ "'dataDir':'/var/lib/..'", "dataDir: ", "absolute path without .." },
		{ "'runtimeConfig':{'infinibandGUID':'00:00:00:00:00:00:00:00'}",
		  "runtimeConfig.infinibandGUID: \"00:00:00:00:00:00:00:00\"", "not zero" },
		{ "'runtimeConfig':{'infinibandGUID':'02:00:00:00:00:00:00'}",
		  "runtimeConfig.infinibandGUID: \"02:00:00:00:00:00:00\"",
		  "xx:xx:xx:xx:xx:xx:xx:xx" },
		{ "'runtimeConfig':{'infinibandGUID':'02-00-00-00-00-00-00-01'}",
		  "runtimeConfig.infinibandGUID: ", "hexadecimal" },
		{ "'args':{'cni':{'guid':'0200:0000:0000:0001'}}",
		  "args.cni.guid: \"0200:0000:0000:0001\"", "xx:xx" },
		{ "'args':{'cni':{'guid':1}}", "args.cni.guid: 1", "string" },
		{ "'pkey':5", "pkey: 5", "string" },
		{ "'pkey':'0x0'", "pkey: \"0x0\"", "0x1 to 0xffff" },
		{ "'pkey':'0x10000'", "pkey: \"0x10000\"", "0x1 to 0xffff" },
		{ "'pkey':'0x'", "pkey: \"0x\"", "hexadecimal" },
		{ "'pkey':'five'", "pkey: \"five\"", "hexadecimal" },
		{ "'ibKubernetesEnabled':'yes'", "ibKubernetesEnabled: \"yes\"", "true or false" },
		{ "'rdmaIsolation':1", "rdmaIsolation: 1", "true or false" },
		{ "'rdmaIsolation':true,'rdma':{'netnsMode':'keep'}", "rdmaIsolation: true",
		  "rdma.netnsMode" },
		{ "'logLevel':'loud'", "logLevel: \"loud\"",
		  "panic, error, warning, info or debug" },
		{ "'logFile':'here.log'", "logFile: \"here.log\"", "absolute path" },
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		struct attach_conf c = { .device_id = "untouched" };
		struct cni_call call;
		struct err e = { 0 };
		int r = parse(cases[i].keys, &call, &c, &e);

		if (!r)
			fail_msg("%s was taken", cases[i].keys);
		assert_err(&e, CNI_ERR_CONFIG, cases[i].names, cases[i].says);
		assert_string_equal(c.device_id, "untouched");
		cni_conf_done(&call.conf);
	}
}

static void the_mac_comes_from_the_nearest_source(void **state)
{
	struct attach_conf c;
	struct cni_call call;
	struct err e;

	(void)state;
	env.args = "MAC=02:00:00:00:00:03";
	assert_int_equal(
		parse("'mac':'02:00:00:00:00:04','args':{'cni':{'mac':'02:00:00:00:00:02'}},"
		      "'runtimeConfig':{'mac':'02:00:00:00:00:01'}",
		      &call, &c, &e),
		0);
	assert_int_equal(c.want.mac.bytes[5], 1);
	cni_conf_done(&call.conf);
	assert_int_equal(
		parse("'mac':'02:00:00:00:00:04','args':{'cni':{'mac':'02:00:00:00:00:02'}}", &call,
		      &c, &e),
		0);
	assert_int_equal(c.want.mac.bytes[5], 2);
	cni_conf_done(&call.conf);
	assert_int_equal(parse("'mac':'02:00:00:00:00:04'", &call, &c, &e), 0);
	assert_int_equal(c.want.mac.bytes[5], 3);
	cni_conf_done(&call.conf);
	env.args = "";
	assert_int_equal(parse("'mac':'02:00:00:00:00:04'", &call, &c, &e), 0);
	assert_int_equal(c.want.mac.bytes[5], 4);
	cni_conf_done(&call.conf);
}

static void infiniband_keys_are_read(void **state)
{
	struct attach_conf c;
	struct cni_call call;
	struct err e;

	(void)state;
	assert_int_equal(parse("'runtimeConfig':{'infinibandGUID':'02:aA:BB:00:00:00:00:01'},"
			       "'args':{'cni':{'guid':'02:00:00:00:00:00:00:02',"
			       "'mellanox.infiniband.app':'configured'}},"
			       "'pkey':'0x7fFf','ibKubernetesEnabled':true,'rdmaIsolation':true",
			       &call, &c, &e),
			 0);
	assert_true(c.guid == 0x02aabb0000000001);
	assert_string_equal(c.guid_key, "runtimeConfig.infinibandGUID");
	assert_int_equal(c.rdma_mode, RDMA_EXCLUSIVE);
	assert_int_equal(c.want.fields, 0); /* pkey is only checked */
	cni_conf_done(&call.conf);
	assert_int_equal(parse("'runtimeConfig':{'infinibandGUID':''},"
			       "'args':{'cni':{'guid':'02:00:00:00:00:00:00:02'}},"
			       "'pkey':'5','ibKubernetesEnabled':false,'rdmaIsolation':false",
			       &call, &c, &e),
			 0);
	assert_true(c.guid == 0x0200000000000002);
	assert_string_equal(c.guid_key, "args.cni.guid");
	assert_int_equal(c.rdma_mode, RDMA_STAY);
	cni_conf_done(&call.conf);
	assert_int_equal(parse("'pkey':'','rdmaIsolation':null", &call, &c, &e), 0);
	assert_true(!c.guid);
	assert_int_equal(c.rdma_mode, RDMA_EXCLUSIVE);
	cni_conf_done(&call.conf);

	/* what is not there yet may come: try again; and other verbs do not get it from everybody */
	assert_int_equal(parse("'ibKubernetesEnabled':true", &call, &c, &e), -EAGAIN);
	assert_err(&e, CNI_ERR_AGAIN, "ibKubernetesEnabled", "mellanox.infiniband.app");
	cni_conf_done(&call.conf);
	assert_int_equal(parse("'ibKubernetesEnabled':true,"
			       "'args':{'cni':{'mellanox.infiniband.app':'pending'}}",
			       &call, &c, &e),
			 -EAGAIN);
	assert_err(&e, CNI_ERR_AGAIN, "\"pending\"", "not \"configured\"");
	cni_conf_done(&call.conf);
	env.verb = CNI_VERB_CHECK;
	assert_int_equal(parse("'ibKubernetesEnabled':true", &call, &c, &e), 0);
	cni_conf_done(&call.conf);
	env.verb = CNI_VERB_ADD;
}

static void del_reads_only_what_finds_a_record(void **state)
{
	static const char text[] =
		"{\"cniVersion\":\"1.1.0\",\"name\":\"n\",\"vlan\":9999,\"deviceID\":7,"
		"\"logLevel\":\"loud\",\"rdma\":5,\"dataDir\":\"/x\"}";
	struct cni_call call = { .env = { .verb = CNI_VERB_DEL, .args = "" } };
	struct attach_conf c;
	struct err e;

	(void)state;
	assert_int_equal(cni_conf_parse(text, strlen(text), CNI_VERB_DEL, &call.conf, &e), 0);
	assert_int_equal(attach_conf_parse_store(&call, &c, &e), 0);
	assert_string_equal(c.device_id, "");
	assert_string_equal(c.data_dir, "/x");
	cni_conf_done(&call.conf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_absent_stays_untouched),
		cmocka_unit_test(all_settings_are_read),
		cmocka_unit_test(required_rdma_must_work),
		cmocka_unit_test(what_is_wrong_is_named),
		cmocka_unit_test(the_mac_comes_from_the_nearest_source),
		cmocka_unit_test(infiniband_keys_are_read),
		cmocka_unit_test(del_reads_only_what_finds_a_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
