/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "base/cleanup.h"
#include "record.h"
#include "state_json.h"

#include <errno.h>
#include <linux/if_ether.h>

static const struct vf vf_0 = { .bdf = "0000:01:10.0", .pf_name = "eth0" };

/* Each field with a value of its own. */
static struct vf_state full_state(void)
{
	struct vf_state s = {
		.fields = VF_LINK | VF_PF | VF_RDMA | VF_DRIVER,
		.place = VF_POD,
		.name = "net1",
		.mac = { 6, { 2, 0, 0, 0, 0, 1 } },
		.mtu = 4500,
		.txqlen = 500,
		.group = 7,
		.flags = IFF_UP | IFF_ALLMULTI,
		.alias = "rail \"0\"",
		.altname_count = 2,
		.altnames = { "enp1s0v0", "rail0" },
		.pf = { .mac = { 20, { 1, 2, 3 } },
			.vlan = 100,
			.qos = 3,
			.vlan_proto = ETH_P_8021AD,
			.spoofchk = true,
			.link_state = 2,
			.min_rate = 10,
			.max_rate = UINT32_MAX,
			.node_guid = 0xfffffffffffffff0,
			.port_guid = 1 },
		.driver = "mlx5_core",
		.rdma_count = 2,
		.rdma = { { .name = "mlx5_0",
			    .place = VF_POD,
			    .uverbs = 7,
			    .id = UINT32_MAX,
			    .guid = 0x123456789abcdef0,
			    .parent = "mlx5_core.rdma.4" },
			  { .name = "mlx5_1", .place = VF_HOST, .uverbs = -1 } },
	};

	return s;
}

static void a_state_survives_its_json(void **state)
{
	struct vf_state before = full_state(), after;
	json_auto_t *json = state_to_json(&before);
	struct err e = { 0 };

	(void)state;
	assert_int_equal(state_from_json(json, &after, &e), 0);
	assert_int_equal(after.fields, before.fields);
	assert_int_equal(vf_diff(&after, &before), 0);
	assert_int_equal(after.rdma[0].uverbs, 7);

	before.fields = VF_MTU; /* what is not known is not there */
	json_decref(json);
	json = state_to_json(&before);
	assert_int_equal(json_object_size(json), 1);
	assert_int_equal(state_from_json(json, &after, &e), 0);
	assert_int_equal(after.fields, VF_MTU);
}

static struct record make_record(void)
{
	static const char conf[] =
		"{\"cniVersion\":\"1.1.0\",\"name\":\"fabric\",\"prevResult\":{},"
		"\"ipam\":{\"type\":\"cni-ipam\"}}";
	struct cni_call call = { .env = {
					 .container_id = "cid",
					 .netns = "/run/netns/one",
					 .ifname = "net1",
					 .args = "K8S_POD_NAMESPACE=default;K8S_POD_NAME=trainer-0",
					 .path = "/opt/cni/bin" } };
	struct vf_state full = full_state();
	struct record r = { 0 };
	struct err e;

	assert_int_equal(cni_conf_parse(conf, strlen(conf), CNI_VERB_ADD, &call.conf, &e), 0);
	assert_int_equal(record_new(&call, &vf_0, &(struct netns_id){ 4, 4026532256, 17 }, &full,
				    &full, &r, &e),
			 0);
	cni_conf_done(&call.conf);
	return r;
}

static void a_record_is_found_by_device_and_by_owner(void **state)
{
	auto_record struct record saved = make_record(), loaded = { 0 }, found = { 0 };
	struct cni_env owner = { .container_id = "cid", .ifname = "net1" };
	auto_close int store = record_store_open(unit_dir, true, &(struct err){ 0 });
	struct err e;
	char pod[64];

	(void)state;
	assert_true(store >= 0);
	assert_int_equal(record_load(store, vf_0.bdf, &loaded, &e), -ENOENT);
	assert_int_equal(record_save(store, &saved, &e), 0);
	assert_int_equal(record_load(store, vf_0.bdf, &loaded, &e), 0);
	assert_string_equal(loaded.pf, "eth0");
	assert_string_equal(loaded.env.path, "/opt/cni/bin");
	assert_int_equal(loaded.netns_id.ino, 4026532256);
	assert_int_equal(loaded.netns_id.cookie, 17);
	assert_string_equal(record_pod(&loaded, pod, sizeof(pod)), "default/trainer-0");
	assert_null(json_object_get(loaded.conf, "prevResult"));
	assert_non_null(json_object_get(loaded.conf, "ipam"));
	assert_null(loaded.result);

	assert_int_equal(record_find(store, "fabric", &owner, &found, &e), 0);
	record_done(&found);
	assert_int_equal(record_find(store, "other", &owner, &found, &e), -ENOENT);
	owner.ifname = "net2";
	assert_int_equal(record_find(store, "fabric", &owner, &found, &e), -ENOENT);

	assert_int_equal(record_drop(store, vf_0.bdf, &e), 0);
	assert_int_equal(record_drop(store, vf_0.bdf, &e),
			 0); /* it is gone, which is what was wanted */
}

static void state_is_private(void **state)
{
	auto_record struct record r = make_record();
	auto_close int store = record_store_open(unit_path("new/state"), true, &(struct err){ 0 });
	struct stat st;
	struct err e;

	(void)state;
	assert_int_equal(record_save(store, &r, &e), 0);
	assert_int_equal(stat(unit_path("new/state/attachments"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(stat(unit_path("new/state/attachments/0000:01:10.0.json"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

/* Each is told as damaged, no one crashes anything, and all can be set aside and the name be used again. */
static void a_damaged_record_is_told_and_set_aside(void **state)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"null",
		"\xff\xfe",
		"{\"version\":1}",
		"{\"version\":2,\"bootId\":\"x\"}",
		"{\"version\":\"1\"}",
		"{\"version\":1,\"bootId\":5,\"pf\":[]}",
	};
	auto_record struct record good = make_record(), r = { 0 };
	auto_close int store = record_store_open(unit_dir, true, &(struct err){ 0 });
	const char *name = "attachments/0000:01:10.0.json";
	auto_free char *whole = NULL;
	struct err e;

	(void)state;
	for (size_t i = 0; i < array_size(texts); i++) {
		unit_write(name, texts[i], 0600);
		assert_int_equal(record_load(store, vf_0.bdf, &r, &e), -EBADMSG);
		assert_err(&e, CNI_ERR_IO, "0000:01:10.0", "damaged");
		assert_int_equal(record_set_aside(store, vf_0.bdf, &e), 0);
		assert_int_equal(record_load(store, vf_0.bdf, &r, &e), -ENOENT);
	}
	assert_int_equal(mkdirat(unit_dir_fd, name, 0700), 0);
	assert_int_equal(record_load(store, vf_0.bdf, &r, &e), -EBADMSG);
	assert_int_equal(record_set_aside(store, vf_0.bdf, &e), 0);
	assert_int_equal(symlinkat("/etc/passwd", unit_dir_fd, name), 0);
	assert_int_equal(record_load(store, vf_0.bdf, &r, &e), -EBADMSG);
	assert_int_equal(record_set_aside(store, vf_0.bdf, &e), 0);

	/* cut off at every length */
	whole = json_dumps(good.root, JSON_COMPACT);
	for (size_t len = 0; whole[len]; len++) {
		auto_free char *cut = strndup(whole, len);

		unit_write(name, cut, 0600);
		assert_int_equal(record_load(store, vf_0.bdf, &r, &e), -EBADMSG);
	}
}

/* One more than a state has room for. */
#define ALTNAMES_17 \
	"{\"altnames\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\",\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\"]}"

/* A key of a wrong type or size anywhere in the state. */
static void a_bad_state_is_named(void **state)
{
	static const char *const texts[] = {
		"{\"place\":3}",
		"{\"place\":\"pod\"}",
		"{\"name\":\"sixteen-bytes-xx\"}",
		"{\"mac\":\"02:\"}",
		"{\"mtu\":-1}",
		"{\"mtu\":4294967296}",
		"{\"flags\":1073741824}",
		"{\"altnames\":[1]}",
		ALTNAMES_17,
		"{\"vlan\":{\"id\":1}}",
		"{\"vlan\":5}",
		"{\"linkState\":3}",
		"{\"txRate\":{\"min\":1}}",
		"{\"nodeGuid\":\"12\"}",
		"{\"spoofchk\":1}",
		"{\"driver\":\"../x\"}",
		"{\"driver\":7}",
		"{\"rdma\":[{}]}",
		"{\"rdma\":[{\"name\":\"a\",\"place\":9}]}",
		"[]",
	};

	(void)state;
	for (size_t i = 0; i < array_size(texts); i++) {
		json_auto_t *json = json_loads(texts[i], 0, NULL);
		struct vf_state s = { .mtu = 77 };
		struct err e = { 0 };
		int r = state_from_json(json, &s, &e);

		if (r != -EBADMSG)
			fail_msg("%s: %d", texts[i], r);
		assert_int_equal(s.mtu, 77);
	}
}

static void only_addresses_are_listed(void **state)
{
	auto_close int store = record_store_open(unit_dir, true, &(struct err){ 0 });
	auto_free char(*list)[PCI_ADDR_MAX] = NULL;
	struct err e;
	size_t count;

	(void)state;
	unit_write("attachments/0000:01:10.2.json", "", 0600);
	unit_write("attachments/0000:01:10.0.json", "", 0600);
	unit_write("attachments/10000:e1:00.4.json", "", 0600); /* a domain of more than 4 digits */
	unit_write("attachments/0000:01:10.0.damaged", "", 0600);
	unit_write("attachments/0000:01:10.2.json.tmp", "", 0600); /* a writer was killed */
	unit_write("attachments/README.json", "", 0600);
	assert_int_equal(record_list(store, &list, &count, &e), 0);
	assert_int_equal(count, 3);
	assert_string_equal(list[0], "0000:01:10.0");
	assert_string_equal(list[1], "0000:01:10.2");
	assert_string_equal(list[2], "10000:e1:00.4");
	assert_int_equal(record_drop(store, "0000:01:10.2", &e), 0);
	assert_int_equal(faccessat(unit_dir_fd, "attachments/0000:01:10.2.json.tmp", F_OK, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_state_survives_its_json),
		unit_test_in_dir(a_record_is_found_by_device_and_by_owner),
		unit_test_in_dir(state_is_private),
		unit_test_in_dir(a_damaged_record_is_told_and_set_aside),
		cmocka_unit_test(a_bad_state_is_named),
		unit_test_in_dir(only_addresses_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
