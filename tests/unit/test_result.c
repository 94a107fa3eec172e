/* SPDX-License-Identifier: Apache-2.0 */
/*
 * golden/VERSION.json is one attachment as each version tells it, golden/ipam-VERSION.json its IPAM
 * part. JSON is written with ' for " here, so that it can be read.
 */
#include "unit.h"

#include "base/cleanup.h"
#include "cni/result.h"

static json_t *golden(const char *prefix, enum cni_version version)
{
	char path[512];
	json_error_t why;
	json_t *doc;

	snprintf(path, sizeof(path), "%s/%s%s.json", getenv("UNIT_GOLDEN"), prefix,
		 cni_version_names[version]);
	doc = json_load_file(path, 0, &why);
	if (!doc)
		fail_msg("%s: %s", path, why.text);
	return doc;
}

static json_t *json(const char *text)
{
	auto_free char *own = strdup(text);
	json_t *doc;

	for (char *c = own; *c; c++)
		if (*c == '\'')
			*c = '"';
	doc = json_loads(own, 0, NULL);
	if (!doc)
		fail_msg("bad JSON in the test: %s", text);
	return doc;
}

static void assert_json_equal(json_t *is, json_t *should)
{
	auto_free char *a = json_dumps(is, JSON_COMPACT), *b = json_dumps(should, JSON_COMPACT);

	assert_string_equal(a, b); /* the order too: it is for people */
}

static void parse(json_t *doc, struct cni_result *ret)
{
	struct err e;

	if (cni_result_parse(doc, CNI_VERSION_1_0_0, ret, &e))
		fail_msg("%s", e.msg);
}

static void assert_builds(const struct cni_result *result, enum cni_version version, bool ipam,
			  json_t *should)
{
	json_auto_t *doc = NULL;
	struct err e;

	if (cni_result_build(result, version, ipam, &doc, &e))
		fail_msg("%s", e.msg);
	assert_json_equal(doc, should);
}

/* It fails with this code, and the message has this text. */
static void assert_fails(const char *text, int code, const char *says)
{
	struct cni_result result = { .ip_count = 42 };
	json_auto_t *doc = json(text);
	struct err e = { 0 };

	assert_true(cni_result_parse(doc, CNI_VERSION_1_0_0, &result, &e) < 0);
	assert_err(&e, code, says);
	assert_int_equal(result.ip_count, 42);
}

static void each_version_goes_through_unchanged(void **state)
{
	(void)state;
	for (int v = 0; v < CNI_VERSION_COUNT; v++) {
		auto_cni_result struct cni_result result = { 0 };
		json_auto_t *doc = golden("", (enum cni_version)v);

		parse(doc, &result);
		assert_builds(&result, (enum cni_version)v, false, doc);
	}
}

static void the_newest_is_told_in_every_version(void **state)
{
	auto_cni_result struct cni_result result = { 0 };
	json_auto_t *newest = golden("", CNI_VERSION_NEWEST);

	(void)state;
	parse(newest, &result);
	for (int v = 0; v < CNI_VERSION_COUNT; v++) {
		json_auto_t *should = golden("", (enum cni_version)v);

		assert_builds(&result, (enum cni_version)v, false, should);
	}
}

/* Addresses, gateways, routes and DNS survive even the oldest shape. */
static void the_oldest_is_told_in_every_version_as_ipam(void **state)
{
	auto_cni_result struct cni_result result = { 0 };
	json_auto_t *oldest = golden("", CNI_VERSION_0_1_0);

	(void)state;
	parse(oldest, &result);
	for (int v = CNI_VERSION_0_3_0; v <= CNI_VERSION_1_0_0; v++) {
		json_auto_t *should = golden("ipam-", (enum cni_version)v);

		assert_builds(&result, (enum cni_version)v, true, should);
	}
}

static void ipam_leaves_interfaces_out(void **state)
{
	auto_cni_result struct cni_result result = { 0 };
	json_auto_t *newest = golden("", CNI_VERSION_NEWEST);

	(void)state;
	parse(newest, &result);
	for (int v = CNI_VERSION_0_3_0; v < CNI_VERSION_COUNT; v++) {
		json_auto_t *should = golden("ipam-", (enum cni_version)v);

		assert_builds(&result, (enum cni_version)v, true, should);
	}
}

static void every_field_is_read(void **state)
{
	auto_cni_result struct cni_result result = { 0 };
	json_auto_t *doc = golden("", CNI_VERSION_1_1_0);
	char text[INET_TEXT];

	(void)state;
	parse(doc, &result);
	assert_int_equal(result.interface_count, 2);
	assert_string_equal(result.interfaces[0].name, "ens1f0v2");
	assert_null(result.interfaces[0].sandbox);
	assert_null(result.interfaces[0].socket_path);
	assert_string_equal(result.interfaces[0].pci_id, "");
	assert_int_equal(result.interfaces[0].mtu, 0);
	assert_string_equal(result.interfaces[1].mac, "02:00:00:00:00:01");
	assert_int_equal(result.interfaces[1].mtu, 4500);
	assert_string_equal(result.interfaces[1].sandbox, "/run/netns/pod1");
	assert_string_equal(result.interfaces[1].socket_path, "/run/vhost/net1.sock");
	assert_string_equal(result.interfaces[1].pci_id, "0000:3b:02.1");
	assert_int_equal(result.ip_count, 2);
	assert_string_equal(inet_net_format(&result.ips[0].address, text), "10.0.0.5/24");
	assert_string_equal(inet_addr_format(&result.ips[0].gateway, text), "10.0.0.1");
	assert_int_equal(result.ips[0].interface, 1);
	assert_int_equal(result.route_count, 3);
	assert_string_equal(inet_net_format(&result.routes[1].dst, text), "192.168.0.0/16");
	assert_string_equal(inet_addr_format(&result.routes[1].gw, text), "10.0.0.2");
	assert_int_equal(result.routes[1].mtu.value, 1400);
	assert_int_equal(result.routes[1].advmss.value, 1360);
	assert_int_equal(result.routes[1].priority.value, 100);
	assert_true(result.routes[1].table.set && result.routes[1].table.value == 0);
	assert_true(result.routes[1].scope.set && result.routes[1].scope.value == 0);
	assert_int_equal(result.routes[0].gw.family, AF_UNSPEC);
	assert_false(result.routes[0].mtu.set || result.routes[0].table.set);
	assert_non_null(json_object_get(result.dns, "options"));
}

static void the_fallback_stands_for_a_missing_version(void **state)
{
	auto_cni_result struct cni_result old = { 0 }, new = { 0 };
	json_auto_t *doc = json("{'ip4':{'ip':'10.0.0.5/24'},'ips':[{'address':'fd00::5/64'}]}");
	struct err e;

	(void)state;
	assert_int_equal(cni_result_parse(doc, CNI_VERSION_0_2_0, &old, &e), 0);
	assert_int_equal(old.ip_count, 1);
	assert_int_equal(old.ips[0].address.addr.family, AF_INET);
	assert_int_equal(cni_result_parse(doc, CNI_VERSION_0_3_0, &new, &e), 0);
	assert_int_equal(new.ip_count, 1);
	assert_int_equal(new.ips[0].address.addr.family, AF_INET6);
}

static void empty_is_absent(void **state)
{
	auto_cni_result struct cni_result result = { 0 };
	json_auto_t *doc =
		json("{'interfaces':[{'name':'a','mac':'','sandbox':'','socketPath':null}],"
		     "'ips':[{'address':'10.0.0.5/24','gateway':'','interface':null}],"
		     "'routes':[{'dst':'0.0.0.0/0','gw':''}],'dns':{}}");
	json_auto_t *should = json("{'cniVersion':'1.0.0','interfaces':[{'name':'a'}],"
				   "'ips':[{'address':'10.0.0.5/24'}],"
				   "'routes':[{'dst':'0.0.0.0/0'}]}");

	(void)state;
	parse(doc, &result);
	assert_null(result.dns);
	assert_null(result.interfaces[0].sandbox);
	assert_int_equal(result.ips[0].interface, -1);
	assert_builds(&result, CNI_VERSION_1_0_0, false, should);
}

static void a_result_of_nothing(void **state)
{
	auto_cni_result struct cni_result result = { 0 };
	json_auto_t *doc = json("{}"), *should = json("{'cniVersion':'1.1.0'}");

	(void)state;
	parse(doc, &result);
	assert_builds(&result, CNI_VERSION_1_1_0, false, should);
}

static void a_chain_keeps_what_was_before(void **state)
{
	auto_cni_result struct cni_result chain = { 0 }, own = { 0 };
	json_auto_t *before = json(
		"{'interfaces':[{'name':'br0'},{'name':'eth0','sandbox':'/x','socketPath':'/s'}],"
		"'ips':[{'address':'10.0.0.5/24','interface':1}],"
		"'routes':[{'dst':'0.0.0.0/0'}],'dns':{'domain':'a'}}");
	json_auto_t *mine =
		json("{'interfaces':[{'name':'net1','sandbox':'/x','socketPath':'/t'}],"
		     "'ips':[{'address':'fd00::5/64','interface':0},{'address':'fd01::5/64'}],"
		     "'routes':[{'dst':'fd02::/64'}]}");
	json_auto_t *named = json("{'dns':{'domain':'b'}}");
	json_auto_t *should = json(
		"{'cniVersion':'1.1.0','interfaces':[{'name':'br0'},{'name':'eth0','sandbox':'/x',"
		"'socketPath':'/s'},{'name':'net1','sandbox':'/x','socketPath':'/t'}],"
		"'ips':[{'address':'10.0.0.5/24','interface':1},{'address':'fd00::5/64','interface':2},"
		"{'address':'fd01::5/64'}],'routes':[{'dst':'0.0.0.0/0'},{'dst':'fd02::/64'}],"
		"'dns':{'domain':'a'}}");
	struct err e;

	(void)state;
	parse(before, &chain);
	parse(mine, &own);
	assert_int_equal(cni_result_join(&chain, &own, &e), 0);
	assert_builds(&chain, CNI_VERSION_1_1_0, false, should);
	cni_result_done(&own);
	own = (struct cni_result){ 0 };
	parse(named, &own);
	assert_int_equal(cni_result_join(&chain, &own, &e), 0);
	json_object_set(should, "dns", json_object_get(named, "dns"));
	assert_builds(&chain, CNI_VERSION_1_1_0, false, should);
}

/* Without interfaces an index can only mean the one that the IPAM plugin's caller makes. */
static void interface_index_is_safe_to_use(void **state)
{
	auto_cni_result struct cni_result result = { 0 };
	json_auto_t *doc = json("{'ips':[{'address':'10.0.0.5/24','interface':0}]}");

	(void)state;
	parse(doc, &result);
	assert_int_equal(result.ips[0].interface, -1);
	assert_fails(
		"{'interfaces':[{'name':'a'}],'ips':[{'address':'10.0.0.5/24','interface':1}]}",
		CNI_ERR_DECODE, "ips[0].interface: 1 is not an index into the 1 interfaces");
	assert_fails(
		"{'interfaces':[{'name':'a'}],'ips':[{'address':'10.0.0.5/24','interface':-1}]}",
		CNI_ERR_DECODE, "ips[0].interface: -1");
}

static void bad_fields_are_named_with_their_value(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "{'cniVersion':1}", "cniVersion: 1 is not a string" },
		{ "{'dns':[]}", "dns: [] is not an object" },
		{ "{'interfaces':{}}", "interfaces: {} is not an array" },
		{ "{'interfaces':[7]}", "interfaces[0]: 7 is not an object" },
		{ "{'interfaces':[{'name':7}]}", "interfaces[0].name: 7 is not a string" },
		{ "{'interfaces':[{},{'name':'sixteen-bytes-00'}]}",
		  "interfaces[1].name: \"sixteen-bytes-00\" is not a string of 15 bytes" },
		{ "{'interfaces':[{'mtu':-1}]}", "interfaces[0].mtu: -1" },
		{ "{'interfaces':[{'mtu':4294967296}]}", "interfaces[0].mtu: 4294967296" },
		{ "{'interfaces':[{'sandbox':[]}]}", "interfaces[0].sandbox: []" },
		{ "{'interfaces':[{'sandbox':'/x'},{'socketPath':1}]}",
		  "interfaces[1].socketPath: 1" },
		{ "{'interfaces':[{'pciID':'0123456789012345678901234567890x'}]}",
		  "interfaces[0].pciID" },
		{ "{'ips':{}}", "ips: {} is not an array" },
		{ "{'ips':[null]}", "ips[0]: null is not an object" },
		{ "{'ips':[{}]}", "ips[0].address is required" },
		{ "{'ips':[{'address':'10.0.0.5'}]}",
		  "ips[0].address: \"10.0.0.5\" is not an IPv4" },
		{ "{'ips':[{'address':'10.0.0.5/33'}]}", "ips[0].address: \"10.0.0.5/33\"" },
		{ "{'ips':[{'address':'10.0.0.5/24','gateway':'x'}]}", "ips[0].gateway: \"x\"" },
		{ "{'routes':7}", "routes: 7 is not an array" },
		{ "{'routes':['x']}", "routes[0]: \"x\" is not an object" },
		{ "{'routes':[{}]}", "routes[0].dst is required" },
		{ "{'routes':[{'dst':'default'}]}", "routes[0].dst: \"default\"" },
		{ "{'routes':[{'dst':'0.0.0.0/0','gw':7}]}", "routes[0].gw: 7" },
		{ "{'routes':[{'dst':'0.0.0.0/0','scope':256}]}", "routes[0].scope: 256" },
		{ "{'routes':[{'dst':'0.0.0.0/0','mtu':'x'}]}", "routes[0].mtu: \"x\"" },
		{ "{'cniVersion':'0.2.0','ip4':[]}", "ip4: [] is not an object" },
		{ "{'cniVersion':'0.2.0','ip4':{}}", "ip4.ip is required" },
		{ "{'cniVersion':'0.2.0','ip6':{'ip':'10.0.0.1/8'}}", "ip6.ip: \"10.0.0.1/8\"" },
		{ "{'cniVersion':'0.2.0','ip6':{'ip':'::1/8','routes':[{'dst':1}]}}",
		  "ip6.routes[0].dst: 1" },
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++)
		assert_fails(cases[i].text, CNI_ERR_DECODE, cases[i].says);
	assert_fails("{'cniVersion':'2.0.0'}", CNI_ERR_VERSION, "'2.0.0'");
	assert_fails("[]", CNI_ERR_DECODE, "not a JSON object");
}

static struct cni_ip *add_ip(struct cni_result *result, const char *text)
{
	struct cni_ip *ip = cni_result_add_ip(result);

	assert_non_null(ip);
	assert_int_equal(inet_net_parse(text, false, &ip->address), 0);
	return ip;
}

static void old_versions_say_what_they_cannot(void **state)
{
	auto_cni_result struct cni_result result = { 0 };
	json_t *doc = NULL;
	struct err e;

	(void)state;
	assert_true(cni_result_build(&result, CNI_VERSION_0_2_0, false, &doc, &e) < 0);
	assert_err(&e, CNI_ERR_VERSION, "cniVersion 0.2.0", "0 IPv4 and 0 IPv6");
	add_ip(&result, "10.0.0.5/24");
	add_ip(&result, "10.0.0.6/24");
	assert_true(cni_result_build(&result, CNI_VERSION_0_1_0, false, &doc, &e) < 0);
	assert_err(&e, CNI_ERR_VERSION, "cniVersion 0.1.0", "2 IPv4 and 0 IPv6");
	assert_null(doc);
	assert_int_equal(cni_result_build(&result, CNI_VERSION_0_3_0, false, &doc, &e), 0);
	json_decref(doc);
}

static void a_route_without_an_address_of_its_family_has_no_place_in_0_2_0(void **state)
{
	auto_cni_result struct cni_result result = { 0 };
	json_auto_t *should = json("{'cniVersion':'0.2.0','ip4':{'ip':'10.0.0.5/24'}}");
	struct cni_route *route;

	(void)state;
	add_ip(&result, "10.0.0.5/24");
	route = cni_result_add_route(&result);
	assert_non_null(route);
	assert_int_equal(inet_net_parse("::/0", false, &route->dst), 0);
	assert_builds(&result, CNI_VERSION_0_2_0, false, should);
}

static void text_that_is_not_utf8_is_an_error(void **state)
{
	auto_cni_result struct cni_result result = { 0 };
	struct cni_interface *dev = cni_result_add_interface(&result);
	json_t *doc = NULL;
	struct err e;

	(void)state;
	assert_non_null(dev);
	strcpy(dev->name, "a\xff");
	assert_true(cni_result_build(&result, CNI_VERSION_1_0_0, false, &doc, &e) < 0);
	assert_err(&e, CNI_ERR_IO, "UTF-8");
	assert_null(doc);
}

static void elements_are_added_zeroed(void **state)
{
	auto_cni_result struct cni_result result = { 0 };

	(void)state;
	for (int i = 0; i < 100; i++) {
		struct cni_interface *dev = cni_result_add_interface(&result);
		struct cni_ip *ip = cni_result_add_ip(&result);
		struct cni_route *route = cni_result_add_route(&result);

		assert_true(dev && ip && route);
		assert_true(!dev->name[0] && !dev->sandbox && !dev->socket_path);
		assert_int_equal(ip->interface, -1);
		assert_false(route->table.set);
		snprintf(dev->name, sizeof(dev->name), "if%d", i);
		ip->interface = i;
		route->table = (struct cni_opt){ true, (uint32_t)i };
	}
	assert_int_equal(result.interface_count, 100);
	for (int i = 0; i < 100; i++) {
		char name[IFNAMSIZ];

		snprintf(name, sizeof(name), "if%d", i);
		assert_string_equal(result.interfaces[i].name, name);
		assert_int_equal(result.ips[i].interface, i);
		assert_int_equal(result.routes[i].table.value, i);
	}
}

static void routes_of_a_configuration(void **state)
{
	auto_cni_result struct cni_result result = { 0 };
	json_auto_t *good = json("[[{'dst':'10.0.0.0/8','gw':'10.0.0.1','table':254}]]");
	json_auto_t *bad = json("[[{'dst':'11.0.0.0/8'},{'dst':'x'}]]");
	struct err e;

	(void)state;
	assert_int_equal(cni_routes_parse(json_array_get(good, 0), "ipam.routes", CNI_ERR_CONFIG,
					  &result, &e),
			 0);
	assert_int_equal(result.route_count, 1);
	assert_int_equal(result.routes[0].table.value, 254);
	assert_true(cni_routes_parse(json_array_get(bad, 0), "ipam.routes", CNI_ERR_CONFIG, &result,
				     &e) < 0);
	assert_err(&e, CNI_ERR_CONFIG, "ipam.routes[1].dst: \"x\"");
	assert_int_equal(result.route_count, 1); /* none of the bad ones is left */
	assert_int_equal(cni_routes_parse(NULL, "routes", CNI_ERR_CONFIG, &result, &e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_version_goes_through_unchanged),
		cmocka_unit_test(the_newest_is_told_in_every_version),
		cmocka_unit_test(the_oldest_is_told_in_every_version_as_ipam),
		cmocka_unit_test(ipam_leaves_interfaces_out),
		cmocka_unit_test(every_field_is_read),
		cmocka_unit_test(the_fallback_stands_for_a_missing_version),
		cmocka_unit_test(empty_is_absent),
		cmocka_unit_test(a_result_of_nothing),
		cmocka_unit_test(a_chain_keeps_what_was_before),
		cmocka_unit_test(interface_index_is_safe_to_use),
		cmocka_unit_test(bad_fields_are_named_with_their_value),
		cmocka_unit_test(old_versions_say_what_they_cannot),
		cmocka_unit_test(a_route_without_an_address_of_its_family_has_no_place_in_0_2_0),
		cmocka_unit_test(text_that_is_not_utf8_is_an_error),
		cmocka_unit_test(elements_are_added_zeroed),
		cmocka_unit_test(routes_of_a_configuration),
	};

	return cmocka_run_group_tests_name("result", tests, NULL, NULL);
}
