/* SPDX-License-Identifier: Apache-2.0 */
/* Pool files and configurations, good and bad: what they mean, and how they are refused. */
#include "unit.h"

#include "base/cleanup.h"
#include "pool_file.h"

#include <errno.h>

#define NODE "node-b"

/* What a configuration comes to, as text: "SUBNET GATEWAY RANGES SCOPE; …" */
static void describe(const struct pool *pool, char *ret, size_t size)
{
	char net[INET_TEXT], gateway[INET_TEXT], range[RANGE_TEXT];
	size_t n = 0;

	ret[0] = '\0';
	for (size_t i = 0; i < pool->set_count; i++) {
		const struct set *set = &pool->sets[i];

		for (size_t k = 0; k < set->subnet_count; k++)
			n += (size_t)snprintf(ret + n, size - n, "%s%s %s", n ? "; " : "",
					      inet_net_format(&set->subnets[k].net, net),
					      inet_addr_format(&set->subnets[k].gateway, gateway));
		for (size_t k = 0; k < set->ranges.count; k++)
			n += (size_t)snprintf(ret + n, size - n, " %s",
					      range_format(&set->ranges.v[k], range));
		n += (size_t)snprintf(ret + n, size - n, " %s", set->scope);
	}
}

static struct err file_error;
static char file_text[1024];

static int note_pool(const char *file, const char *name, const struct pool *pool,
		     const struct err *why, void *arg)
{
	(void)file;
	(void)name;
	(void)arg;
	file_error = why ? *why : (struct err){ 0 };
	if (pool)
		describe(pool, file_text, sizeof(file_text));
	return 0;
}

static void check_file(const char *text)
{
	struct err e = { 0 };

	file_text[0] = '\0';
	unit_write("p.json", text, 0600);
	assert_int_equal(pool_file_check(unit_path("p.json"), NODE, note_pool, NULL, &e), 0);
}

#define assert_pool(json, want)                          \
	do {                                             \
		check_file(json);                        \
		assert_string_equal(file_error.msg, ""); \
		assert_string_equal(file_text, want);    \
	} while (0)

#define assert_bad_pool(json, ...)                                                         \
	do {                                                                               \
		check_file(json);                                                          \
		assert_err(&file_error, CNI_ERR_CONFIG, unit_path("p.json"), __VA_ARGS__); \
	} while (0)

static void pools_of_our_own(void **state)
{
	(void)state;
	assert_pool("{\"subnet\":\"10.0.0.0/24\",\"nodeLocal\":true}",
		    "10.0.0.0/24  10.0.0.1-10.0.0.254 pools");
	assert_pool(
		"{\"subnet\":\"10.0.0.0/24\",\"gateway\":\"10.0.0.9\",\"nodeLocal\":true,"
		"\"fabric\":\"rail0\",\"rangeStart\":\"10.0.0.8\",\"rangeEnd\":\"10.0.0.20\","
		"\"exclude\":[\"10.0.0.10\",\"10.0.0.12/30\",\"10.0.0.18-10.0.0.19\"]}",
		"10.0.0.0/24 10.0.0.9 10.0.0.8 10.0.0.11 10.0.0.16-10.0.0.17 10.0.0.20 fabric:rail0");
	assert_pool("{\"subnet\":\"10.0.0.0/16\",\"perNodeBlockSize\":256,"
		    "\"nodes\":{\"node-a\":0,\"node-b\":1,\"node-c\":255}}",
		    "10.0.0.0/16  10.0.1.0-10.0.1.255 pools");
	assert_pool("{\"subnet\":\"10.0.0.0/16\",\"perNodeBlockSize\":256,\"nodeIndex\":2}",
		    "10.0.0.0/16  10.0.2.0-10.0.2.255 pools");
	/* blocks of both families, and touching ones */
	assert_pool("{\"ranges\":[{\"subnet\":\"10.0.0.0/16\"},{\"subnet\":\"fd00::/64\"}],"
		    "\"nodes\":{\"node-a\":[\"10.0.0.0/25\"],\"node-b\":[\"10.0.0.128/25\","
		    "\"10.0.1.0-10.0.1.9\",\"fd00::100/120\"]}}",
		    "10.0.0.0/16  10.0.0.128-10.0.1.9 pools; fd00::/64  fd00::100-fd00::1ff pools");
	/* alternatives of one set, a gateway in each */
	assert_pool(
		"{\"nodeLocal\":true,\"ranges\":[[{\"subnet\":\"10.0.0.0/29\",\"gateway\":\"10.0.0.1\"},"
		"{\"subnet\":\"10.0.1.0/29\",\"gateway\":\"10.0.1.6\"}]]}",
		"10.0.0.0/29 10.0.0.1; 10.0.1.0/29 10.0.1.6 10.0.0.2-10.0.0.6 10.0.1.1-10.0.1.5 pools");
	assert_pool("{\"subnet\":\"10.0.0.0/31\",\"nodeLocal\":true}",
		    "10.0.0.0/31  10.0.0.0-10.0.0.1 pools");
	assert_pool(
		"{\"subnet\":\"::/0\",\"nodeLocal\":true}",
		"::/0  ::1-::fffe:ffff:ffff ::1:0:0:0-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff pools");
}

static void bad_pools_name_file_field_and_value(void **state)
{
	(void)state;
	assert_bad_pool("{", "line 1");
	assert_bad_pool("[]", "not a JSON object");
	assert_bad_pool("{\"nodeLocal\":true}", "subnet or ranges is required");
	assert_bad_pool("{\"subnet\":\"10.0.0.0/24\"}", "nothing says which part is this node's");
	assert_bad_pool("{\"subnet\":\"10.0.0.0/24\",\"nodeLocal\":false}", "nothing says");
	assert_bad_pool("{\"subnet\":\"10.0.0.1/24\",\"nodeLocal\":true}",
			"subnet: \"10.0.0.1/24\"", "host bits", "10.0.0.0/24");
	assert_bad_pool("{\"subnet\":\"10.0.0.0/33\",\"nodeLocal\":true}",
			"subnet: \"10.0.0.0/33\"");
	assert_bad_pool("{\"subnet\":\"10.0.0.0\",\"nodeLocal\":true}", "subnet: \"10.0.0.0\"");
	assert_bad_pool("{\"subnet\":\"::ffff:10.0.0.0/120\",\"nodeLocal\":true}", "IPv4-mapped");
	assert_bad_pool(
		"{\"subnet\":\"10.0.0.0/24\",\"rangeStart\":\"10.0.1.0\",\"nodeLocal\":true}",
		"rangeStart: \"10.0.1.0\"", "inside the subnet 10.0.0.0/24");
	assert_bad_pool(
		"{\"subnet\":\"10.0.0.0/24\",\"rangeEnd\":\"9.255.255.255\",\"nodeLocal\":true}",
		"rangeEnd: \"9.255.255.255\"");
	assert_bad_pool(
		"{\"subnet\":\"10.0.0.0/24\",\"rangeStart\":\"10.0.0.9\",\"rangeEnd\":\"10.0.0.8\","
		"\"nodeLocal\":true}",
		"rangeStart: \"10.0.0.9\"", "before rangeEnd 10.0.0.8");
	assert_bad_pool(
		"{\"subnet\":\"10.0.0.0/24\",\"rangeStart\":\"fd00::1\",\"nodeLocal\":true}",
		"rangeStart: \"fd00::1\"", "IPv4");
	assert_bad_pool("{\"subnet\":\"10.0.0.0/24\",\"gateway\":\"10.0.1.1\",\"nodeLocal\":true}",
			"gateway: \"10.0.1.1\"", "inside the subnet 10.0.0.0/24");
	assert_bad_pool("{\"subnet\":\"10.0.0.0/24\",\"exclude\":[\"10.0.0.1\",\"10.0.1.1\"],"
			"\"nodeLocal\":true}",
			"exclude[1]: \"10.0.1.1\"", "outside the subnet");
	assert_bad_pool(
		"{\"subnet\":\"10.0.0.0/24\",\"exclude\":[\"10.0.0.9-10.0.0.1\"],\"nodeLocal\":true}",
		"exclude[0]: \"10.0.0.9-10.0.0.1\"", "starts after its end");
	assert_bad_pool("{\"subnet\":\"10.0.0.0/24\",\"exclude\":[7],\"nodeLocal\":true}",
			"exclude[0]: 7");
	assert_bad_pool("{\"nodeLocal\":true,\"ranges\":[[{\"subnet\":\"10.0.0.0/24\"},"
			"{\"subnet\":\"fd00::/64\"}]]}",
			"ranges[0][1].subnet: \"fd00::/64\"", "IPv4 like the others");
	assert_bad_pool("{\"nodeLocal\":true,\"ranges\":[[{\"subnet\":\"10.0.0.0/24\"},"
			"{\"subnet\":\"10.0.0.0/25\"}]]}",
			"ranges[0][1].subnet: \"10.0.0.0/25\"", "apart from");
	assert_bad_pool("{\"nodeLocal\":true,\"ranges\":[[]]}", "ranges: []");
	assert_bad_pool("{\"nodeLocal\":true,\"subnet\":\"10.0.0.0/24\",\"name\":\"a/b\"}",
			"name: \"a/b\"");
	assert_bad_pool("{\"nodeLocal\":true,\"subnet\":\"10.0.0.0/24\",\"cooldown\":-1}",
			"cooldown: -1");
	assert_bad_pool("{\"nodeLocal\":true,\"subnet\":\"10.0.0.0/24\",\"whenCooling\":\"x\"}",
			"whenCooling: \"x\"", "\"oldest\"");
	assert_bad_pool(
		"{\"nodeLocal\":true,\"subnet\":\"10.0.0.0/24\",\"routes\":[{\"dst\":\"x\"}]}",
		"routes[0].dst: \"x\"");
	assert_bad_pool("{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}",
			"neither a pool of cni-ipam nor");
}

static void bad_nodes(void **state)
{
	(void)state;
	assert_bad_pool("{\"subnet\":\"10.0.0.0/24\",\"nodes\":{\"node-a\":[\"10.0.0.0/26\"]}}",
			"nothing for this node, 'node-b'");
	assert_bad_pool(
		"{\"subnet\":\"10.0.0.0/24\",\"nodes\":{\"node-a\":[\"10.0.0.0/26\"],"
		"\"node-b\":[\"10.0.0.60-10.0.0.70\"]}}",
		"nodes: 10.0.0.60-10.0.0.70 of 'node-b' overlaps 10.0.0.0-10.0.0.63 of 'node-a'");
	/* a wide block, a narrow one within it, and the overlap behind both */
	assert_bad_pool("{\"subnet\":\"10.0.0.0/24\",\"nodes\":{\"a\":[\"10.0.0.0/25\"],"
			"\"node-b\":[\"10.0.0.200\"],\"c\":[\"10.0.0.128/26\",\"10.0.0.100\"]}}",
			"10.0.0.100 of 'c' overlaps 10.0.0.0-10.0.0.127 of 'a'");
	assert_bad_pool("{\"subnet\":\"10.0.0.0/24\",\"nodes\":{\"node-a\":[\"10.1.0.0/26\"],"
			"\"node-b\":[\"10.0.0.0/26\"]}}",
			"nodes.node-a: 10.1.0.0-10.1.0.63 lies in no subnet");
	assert_bad_pool("{\"subnet\":\"10.0.0.0/24\",\"perNodeBlockSize\":64,"
			"\"nodes\":{\"node-a\":1,\"node-b\":1}}",
			"'node-a' and 'node-b' both have the index 1");
	assert_bad_pool(
		"{\"subnet\":\"10.0.0.0/24\",\"perNodeBlockSize\":64,\"nodes\":{\"node-b\":4}}",
		"nodes.node-b: 4 is beyond the last block of 64", "10.0.0.0/24");
	assert_bad_pool("{\"subnet\":\"10.0.0.0/24\",\"nodes\":{\"node-b\":0}}",
			"perNodeBlockSize");
	assert_bad_pool("{\"subnet\":\"10.0.0.0/24\",\"perNodeBlockSize\":0,\"nodeIndex\":0}",
			"perNodeBlockSize: 0");
	assert_bad_pool("{\"subnet\":\"10.0.0.0/24\",\"nodes\":{\"node-b\":-1}}", "nodes.node-b");
	assert_bad_pool("{\"subnet\":\"10.0.0.0/24\",\"nodes\":{\"node-b\":[]}}", "nodes.node-b");
	assert_bad_pool("{\"subnet\":\"10.0.0.0/24\",\"nodes\":{\"node-b\":[\"10.0.0.1/24\"]}}",
			"nodes.node-b: \"10.0.0.1/24\"", "host bits");
	assert_bad_pool("{\"subnet\":\"10.0.0.0/24\",\"nodes\":{\"node-b\":[\"10.0.0.0/26\"]},"
			"\"nodeLocal\":true}",
			"exclude each other");
	assert_bad_pool("{\"ranges\":[{\"subnet\":\"10.0.0.0/24\"},{\"subnet\":\"fd00::/64\"}],"
			"\"nodes\":{\"node-b\":[\"10.0.0.0/26\"]}}",
			"nodes.node-b: no block lies in the range of ranges[1].subnet fd00::/64");
}

#define IPPOOL                                                                       \
	"{\"apiVersion\":\"nv-ipam.nvidia.com/v1alpha1\",\"kind\":\"IPPool\","       \
	"\"metadata\":{\"name\":\"pool1\",\"namespace\":\"kube-system\"},"           \
	"\"spec\":{\"subnet\":\"192.168.0.0/16\",\"perNodeBlockSize\":100,"          \
	"\"gateway\":\"192.168.0.1\",\"exclusions\":[{\"startIP\":\"192.168.0.10\"," \
	"\"endIP\":\"192.168.0.120\"}],\"perNodeExclusions\":[{\"startIndex\":98,"   \
	"\"endIndex\":200}]},"
#define CIDRPOOL                                                                       \
	"{\"apiVersion\":\"nv-ipam.nvidia.com/v1alpha1\",\"kind\":\"CIDRPool\","       \
	"\"metadata\":{\"name\":\"pool1\"},\"spec\":{\"cidr\":\"10.0.0.0/16\","        \
	"\"gatewayIndex\":1,\"perNodeNetworkPrefix\":24,\"exclusions\":[{\"startIP\":" \
	"\"10.0.0.10\",\"endIP\":\"10.0.1.20\"}]},"

static void objects_of_nvipam(void **state)
{
	(void)state;
	assert_pool(IPPOOL "\"status\":{\"allocations\":[{\"nodeName\":\"node-a\",\"startIP\":"
			   "\"192.168.0.1\",\"endIP\":\"192.168.0.100\"},{\"nodeName\":\"node-b\","
			   "\"startIP\":\"192.168.0.101\",\"endIP\":\"192.168.0.200\"}]}}",
		    "192.168.0.0/16 192.168.0.1 192.168.0.121-192.168.0.198 pools");
	assert_pool(CIDRPOOL "\"status\":{\"allocations\":[{\"nodeName\":\"node-b\",\"prefix\":"
			     "\"10.0.1.0/24\",\"gateway\":\"10.0.1.1\"}]}}",
		    "10.0.1.0/24 10.0.1.1 10.0.1.21-10.0.1.254 pools");
	assert_pool(CIDRPOOL "\"status\":{\"allocations\":[{\"nodeName\":\"node-b\",\"prefix\":"
			     "\"10.0.2.4/31\"}]}}",
		    "10.0.2.4/31  10.0.2.4-10.0.2.5 pools");
	assert_bad_pool(IPPOOL "\"status\":{}}",
			"status.allocations has nothing for this node, 'node-b'");
	assert_bad_pool(IPPOOL
			"\"status\":{\"allocations\":[{\"nodeName\":\"node-a\",\"startIP\":"
			"\"192.168.0.1\",\"endIP\":\"192.168.0.101\"},{\"nodeName\":\"node-b\","
			"\"startIP\":\"192.168.0.101\",\"endIP\":\"192.168.0.200\"}]}}",
			"overlaps", "'node-a'", "'node-b'");
	assert_bad_pool(IPPOOL "\"status\":{\"allocations\":[{\"nodeName\":\"node-b\",\"startIP\":"
			       "\"192.169.0.1\",\"endIP\":\"192.169.0.9\"}]}}",
			"192.169.0.1-192.169.0.9 of 'node-b' lies outside");
	assert_bad_pool(CIDRPOOL "\"status\":{\"allocations\":[{\"nodeName\":\"node-b\",\"prefix\":"
				 "\"10.0.1.0/24\",\"gateway\":\"10.0.2.1\"}]}}",
			"status.allocations[0].gateway: \"10.0.2.1\"");
	assert_bad_pool("{\"apiVersion\":\"nv-ipam.nvidia.com/v1alpha1\",\"kind\":\"IPPool\","
			"\"metadata\":{\"name\":\"a/b\"},\"spec\":{}}",
			"name: 'a/b'");
}

/* A configuration, as a plugin gets it. */
struct loaded {
	struct cni_call call;
	struct conf conf;
	struct err e;
	char text[1024];
};

static void loaded_done(struct loaded *l)
{
	conf_done(&l->conf);
	cni_conf_done(&l->call.conf);
}
#define auto_loaded __attribute__((cleanup(loaded_done)))

static int load(struct loaded *l, const char *rest)
{
	char json[2048];
	int r;

	snprintf(json, sizeof(json), "{\"cniVersion\":\"1.0.0\",\"name\":\"net-a\",%s}", rest);
	l->call.env = (struct cni_env){ .args = "IP=10.0.0.77;K8S_POD_NAME=p" };
	r = cni_conf_parse(json, strlen(json), CNI_VERB_ADD, &l->call.conf, &l->e);
	assert_int_equal(r, 0);
	r = conf_read(&l->call, &l->conf, &l->e);
	if (!r)
		describe(&l->conf.inline_pool, l->text, sizeof(l->text));
	return r;
}

#define IPAM "\"ipam\":{\"type\":\"cni-ipam\",\"nodeName\":\"node-b\","

#define assert_conf(rest, want)                      \
	do {                                         \
		auto_loaded struct loaded l = { 0 }; \
		load(&l, rest);                      \
		assert_string_equal(l.e.msg, "");    \
		assert_string_equal(l.text, want);   \
	} while (0)

#define assert_bad_conf(rest, code, ...)             \
	do {                                         \
		auto_loaded struct loaded l = { 0 }; \
		assert_true(load(&l, rest) < 0);     \
		assert_err(&l.e, code, __VA_ARGS__); \
	} while (0)

static void configurations_of_host_local(void **state)
{
	(void)state;
	assert_conf(
		IPAM
		"\"subnet\":\"10.0.0.0/24\",\"rangeStart\":\"10.0.0.10\",\"rangeEnd\":\"10.0.0.20\"}",
		"10.0.0.0/24  10.0.0.10-10.0.0.20 network:net-a");
	/* without a gateway, .1 is as good as any (plugins 109) */
	assert_conf(IPAM "\"ranges\":[[{\"subnet\":\"10.0.0.0/29\"}],[{\"subnet\":\"fd00::/64\","
			 "\"gateway\":\"fd00::1\"}]]}",
		    "10.0.0.0/29  10.0.0.1-10.0.0.6 network:net-a; fd00::/64 fd00::1 "
		    "fd00::2-fd00::ffff:ffff:ffff:ffff network:net-a");
	/* runtimeConfig.ipRanges come first, then the subnet of the object itself */
	assert_conf("\"runtimeConfig\":{\"ipRanges\":[[{\"subnet\":\"10.3.0.0/31\"}]]}," IPAM
		    "\"subnet\":\"10.1.0.0/31\",\"ranges\":[[{\"subnet\":\"10.2.0.0/31\"}]]}",
		    "10.3.0.0/31  10.3.0.0-10.3.0.1 network:net-a; 10.1.0.0/31  10.1.0.0-10.1.0.1 "
		    "network:net-a; 10.2.0.0/31  10.2.0.0-10.2.0.1 network:net-a");
	assert_bad_conf(IPAM "\"subnet\":\"10.0.0.1/24\"}", CNI_ERR_CONFIG,
			"ipam.subnet: \"10.0.0.1/24\"");
	assert_bad_conf(IPAM "\"subnet\":\"10.0.0.0/24\",\"dataDir\":\"x\"}", CNI_ERR_CONFIG,
			"ipam.dataDir: \"x\"", "absolute");
	assert_bad_conf(IPAM "\"subnet\":\"10.0.0.0/24\",\"dataDir\":\"/a/../b\"}", CNI_ERR_CONFIG,
			"ipam.dataDir");
	assert_bad_conf(IPAM "\"pool\":\"a/b\"}", CNI_ERR_CONFIG, "ipam.pool: 'a/b'");
	assert_bad_conf("\"runtimeConfig\":{\"ipRanges\":[[{\"subnet\":\"10.3.0.1/24\"}]]}," IPAM
			"\"pool\":\"p\"}",
			CNI_ERR_CONFIG, "runtimeConfig.ipRanges[0][0].subnet: \"10.3.0.1/24\"");
}

static void configurations_of_whereabouts(void **state)
{
	(void)state;
	/* host bits are ignored; the last address of a range is one of it (35) */
	assert_conf(
		IPAM
		"\"range\":\"10.0.0.5/24\",\"range_end\":\"10.0.0.9\",\"exclude\":[\"10.0.0.0/30\"]}",
		"10.0.0.0/24  10.0.0.4-10.0.0.9 whereabouts::");
	assert_conf(IPAM "\"range\":\"10.0.0.5-10.0.0.9/24\",\"gateway\":\"10.0.0.6\"}",
		    "10.0.0.0/24 10.0.0.6 10.0.0.5 10.0.0.7-10.0.0.9 whereabouts::");
	assert_conf(IPAM "\"ipRanges\":[{\"range\":\"10.0.0.0/31\"},{\"range\":\"fd00::/127\"}],"
			 "\"network_name\":\"blue\"}",
		    "10.0.0.0/31  10.0.0.0-10.0.0.1 whereabouts:blue:; fd00::/127  fd00::-fd00::1 "
		    "whereabouts:blue:");
	assert_conf(IPAM "\"range\":\"10.0.0.0/31\",\"enable_overlapping_ranges\":false}",
		    "10.0.0.0/31  10.0.0.0-10.0.0.1 whereabouts::10.0.0.0/31");
	assert_conf(
		IPAM
		"\"range\":\"10.0.0.0/16\",\"node_slice_size\":\"/24\",\"nodes\":{\"node-b\":3}}",
		"10.0.0.0/16  10.0.3.0-10.0.3.255 whereabouts::");
	assert_bad_conf(IPAM "\"range\":\"10.0.0.0/16\",\"node_slice_size\":\"/24\"}",
			CNI_ERR_CONFIG, "which slice is this node's");
	assert_bad_conf(IPAM
			"\"range\":\"10.0.0.0/16\",\"node_slice_size\":\"/8\",\"nodeIndex\":0}",
			CNI_ERR_CONFIG, "ipam.node_slice_size: \"/8\"");
	assert_bad_conf(IPAM "\"range\":\"10.0.0.0/24\",\"gateway\":\"10.0.1.1\"}", CNI_ERR_CONFIG,
			"ipam.gateway: \"10.0.1.1\"");
	assert_bad_conf(IPAM "\"range\":\"10.0.0.9-10.0.0.5/24\"}", CNI_ERR_CONFIG, "range_start",
			"range_end 10.0.0.5");
	assert_bad_conf(IPAM
			"\"range\":\"10.0.0.0/24\",\"addresses\":[{\"address\":\"10.0.0.5/24\"}]}",
			CNI_ERR_FIELD, "ipam.addresses");
}

static void configurations_of_nvipam(void **state)
{
	auto_loaded struct loaded one = { 0 }, two = { 0 }, args = { 0 }, none = { 0 };

	(void)state;
	assert_int_equal(load(&one, IPAM "\"poolName\":\"p1\",\"poolType\":\"CIDRPool\"}"), 0);
	assert_int_equal(one.conf.named_count, 1);
	assert_string_equal(one.conf.named[0], "p1");
	assert_int_equal(one.conf.kind, POOL_CIDRPOOL);
	assert_int_equal(load(&two, IPAM "\"poolName\":\"p1,p2\"}"), 0);
	assert_int_equal(two.conf.named_count, 2);
	assert_string_equal(two.conf.named[1], "p2");
	assert_int_equal(two.conf.kind, POOL_IPPOOL);
	assert_int_equal(load(&args,
			      "\"args\":{\"cni\":{\"poolNames\":[\"p9\"],\"poolType\":\"cidrpool\","
			      "\"allocateIPWithIndex\":5}}," IPAM "\"poolName\":\"p1\"}"),
			 0);
	assert_int_equal(args.conf.named_count, 1);
	assert_string_equal(args.conf.named[0], "p9");
	assert_int_equal(args.conf.kind, POOL_CIDRPOOL);
	assert_true(args.conf.has_index && args.conf.index == 5);
	/* nothing at all: the pool of the network's name */
	assert_int_equal(load(&none, IPAM "\"x\":0}"), 0);
	assert_string_equal(none.conf.named[0], "net-a");
	assert_bad_conf(IPAM "\"poolName\":\"a,b,c\"}", CNI_ERR_CONFIG, "'c'", "two are allowed");
	assert_bad_conf(IPAM "\"poolName\":\"a/b\"}", CNI_ERR_CONFIG, "ipam.poolName: 'a/b'");
	assert_bad_conf(IPAM "\"poolName\":\"a\",\"poolType\":\"x\"}", CNI_ERR_CONFIG,
			"ipam.poolType: \"x\"");
	assert_bad_conf(IPAM "\"forcePoolName\":true}", CNI_ERR_CONFIG, "poolName is required");
	assert_bad_conf("\"args\":{\"cni\":{\"allocateIPWithIndex\":-1}}," IPAM
			"\"poolName\":\"a\"}",
			CNI_ERR_CONFIG, "allocateIPWithIndex: -1");
}

static void requested_addresses_in_their_order(void **state)
{
	auto_loaded struct loaded a = { 0 }, b = { 0 }, c = { 0 };
	char text[INET_TEXT];

	(void)state;
	load(&a,
	     "\"runtimeConfig\":{\"ips\":[\"10.0.0.5/24\",\"fd00::5\"]},\"args\":{\"cni\":{\"ips\":"
	     "[\"10.0.0.6\"]}}," IPAM "\"pool\":\"p\"}");
	assert_int_equal(a.conf.requested_count, 2);
	assert_string_equal(inet_addr_format(&a.conf.requested[0], text), "10.0.0.5");
	assert_string_equal(inet_addr_format(&a.conf.requested[1], text), "fd00::5");
	load(&b, "\"runtimeConfig\":{\"ips\":[]},\"args\":{\"cni\":{\"ips\":[\"10.0.0.6\"]}}," IPAM
		 "\"pool\":\"p\"}");
	assert_int_equal(b.conf.requested_count, 1);
	assert_string_equal(inet_addr_format(&b.conf.requested[0], text), "10.0.0.6");
	load(&c, IPAM "\"pool\":\"p\"}");
	assert_string_equal(inet_addr_format(&c.conf.requested[0], text), "10.0.0.77");
	assert_bad_conf("\"args\":{\"cni\":{\"ips\":[\"x\"]}}," IPAM "\"pool\":\"p\"}",
			CNI_ERR_CONFIG, "args.cni.ips: 'x'");
}

/* A pool is found by its file's name, or by an object's wherever it stands; by kind, when both are there. */
static void pools_are_found(void **state)
{
	auto_loaded struct loaded l = { 0 };
	struct err e = { 0 };
	auto_pool struct pool own = { 0 }, ip = { 0 }, cidr = { 0 }, none = { 0 };

	(void)state;
	load(&l, IPAM "\"pool\":\"p\"}");
	l.conf.pools_dir = unit_dir;
	unit_write("own.json", "{\"subnet\":\"10.0.0.0/24\",\"nodeLocal\":true}", 0600);
	unit_write(
		"both.json",
		"{\"kind\":\"List\",\"items\":[" IPPOOL
		"\"status\":{\"allocations\":[{\"nodeName\":\"node-b\",\"startIP\":\"192.168.0.101\","
		"\"endIP\":\"192.168.0.200\"}]}}," CIDRPOOL
		"\"status\":{\"allocations\":[{\"nodeName\":\"node-b\",\"prefix\":\"10.0.2.4/31\"}]}}]}",
		0600);
	assert_int_equal(pool_file_load(NULL, &l.conf, "own", &own, &e), 0);
	assert_string_equal(own.name, "own");
	l.conf.kind = POOL_CIDRPOOL;
	assert_int_equal(pool_file_load(NULL, &l.conf, "pool1", &cidr, &e), 0);
	assert_int_equal(cidr.sets[0].subnets[0].net.len, 31);
	l.conf.kind = POOL_IPPOOL;
	assert_int_equal(pool_file_load(NULL, &l.conf, "pool1", &ip, &e), 0);
	assert_int_equal(ip.sets[0].subnets[0].net.len, 16);
	assert_true(pool_file_load(NULL, &l.conf, "pool2", &none, &e) < 0);
	assert_err(&e, CNI_ERR_CONFIG, "no IPPool 'pool2'", unit_dir);
}

static void what_is_remembered_of_a_pool_is_all_of_it(void **state)
{
	auto_loaded struct loaded l = { 0 };
	auto_pool struct pool copy = { 0 };
	auto_free char *text = NULL, *again = NULL;

	(void)state;
	load(&l, IPAM
	     "\"ranges\":[[{\"subnet\":\"10.0.0.0/24\",\"gateway\":\"10.0.0.1\"},"
	     "{\"subnet\":\"10.0.1.0/24\"}],[{\"subnet\":\"fd00::/64\"}]],\"routes\":[{\"dst\":"
	     "\"0.0.0.0/0\",\"gw\":\"10.0.0.1\",\"table\":0,\"mtu\":1400}],\"dns\":{\"domain\":\"x\"},"
	     "\"cooldown\":7,\"whenCooling\":\"oldest\"}");
	text = pool_digest_write(&l.conf.inline_pool);
	assert_int_equal(pool_digest_read(text, &copy), 0);
	again = pool_digest_write(&copy);
	assert_string_equal(text, again);
	assert_int_equal(copy.cooldown_s, 7);
	assert_true(copy.oldest);
	assert_true(copy.sets[1].known);
	assert_memory_equal(copy.sets[1].hash, l.conf.inline_pool.sets[1].hash, 16);
	assert_true(copy.extra.routes[0].table.set && !copy.extra.routes[0].scope.set);
	assert_int_equal(pool_digest_read("{}", &copy), -EINVAL);
	assert_int_equal(pool_digest_read("", &copy), -EINVAL);
}

static void resolv_conf_is_read(void **state)
{
	json_auto_t *dns = NULL;
	auto_free char *text = NULL;
	struct err e = { 0 };

	(void)state;
	unit_write("resolv.conf",
		   "# x\nnameserver 10.0.0.2\nnameserver\tfd00::2 # y\ndomain example.org\n"
		   "search a.example b.example\noptions ndots:5 rotate\nunknown z\n",
		   0600);
	assert_int_equal(resolv_read(unit_path("resolv.conf"), &dns, &e), 0);
	text = json_dumps(dns, JSON_COMPACT | JSON_SORT_KEYS);
	assert_string_equal(
		text, "{\"domain\":\"example.org\",\"nameservers\":[\"10.0.0.2\",\"fd00::2\"],"
		      "\"options\":[\"ndots:5\",\"rotate\"],\"search\":[\"a.example\","
		      "\"b.example\"]}");
	assert_true(resolv_read(unit_path("none"), &dns, &e) < 0);
	assert_err(&e, CNI_ERR_IO, "resolvConf");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		unit_test_in_dir(pools_of_our_own),
		unit_test_in_dir(bad_pools_name_file_field_and_value),
		unit_test_in_dir(bad_nodes),
		unit_test_in_dir(objects_of_nvipam),
		cmocka_unit_test(configurations_of_host_local),
		cmocka_unit_test(configurations_of_whereabouts),
		cmocka_unit_test(configurations_of_nvipam),
		cmocka_unit_test(requested_addresses_in_their_order),
		unit_test_in_dir(pools_are_found),
		cmocka_unit_test(what_is_remembered_of_a_pool_is_all_of_it),
		unit_test_in_dir(resolv_conf_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
