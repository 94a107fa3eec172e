/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "base/cleanup.h"
#include "base/inet.h"

#include <errno.h>

static struct inet_addr addr(const char *text)
{
	struct inet_addr a = { 0 };

	assert_int_equal(inet_addr_parse(text, &a), 0);
	return a;
}

static struct inet_net net(const char *text)
{
	struct inet_net n = { 0 };

	assert_int_equal(inet_net_parse(text, false, &n), 0);
	return n;
}

static void addresses_go_through_unchanged(void **state)
{
	static const char *const texts[] = { "0.0.0.0", "10.0.0.1", "255.255.255.255",
					     "::",	"fd00::1",  "::ffff:10.0.0.1" };
	char text[INET_TEXT];

	(void)state;
	for (size_t i = 0; i < array_size(texts); i++) {
		struct inet_addr a = addr(texts[i]);

		assert_string_equal(inet_addr_format(&a, text), texts[i]);
	}
}

static void bad_addresses_are_refused(void **state)
{
	static const char *const bad[] = { "",		"10.0.0",      "10.0.0.256", "10.0.0.01",
					   "10.0.0.1 ", "10.0.0.1/24", "[::1]",	     "fe80::1%eth0",
					   "::g",	"x",	       "0x7f.1" };
	struct inet_addr a = { .family = 42 };

	(void)state;
	for (size_t i = 0; i < array_size(bad); i++)
		assert_int_equal(inet_addr_parse(bad[i], &a), -EINVAL);
	assert_int_equal(a.family, 42);
}

static void nets_keep_their_host_bits(void **state)
{
	struct inet_net n = net("10.1.2.3/24");
	char text[INET_TEXT];

	(void)state;
	assert_int_equal(n.len, 24);
	assert_string_equal(inet_net_format(&n, text), "10.1.2.3/24");
	n = net("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255/128");
	assert_string_equal(inet_net_format(&n, text),
			    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128");
}

static void bad_nets_are_refused(void **state)
{
	static const char *const bad[] = { "10.0.0.1", "10.0.0.1/",    "10.0.0.1/33",
					   "::1/129",  "10.0.0.1/-1",  "10.0.0.1/024",
					   "/24",      "10.0.0.1/24/", "x/24" };
	char text[200];
	struct inet_net n = { .len = 42 };

	(void)state;
	for (size_t i = 0; i < array_size(bad); i++)
		assert_int_equal(inet_net_parse(bad[i], false, &n), -EINVAL);
	memset(text, '1', sizeof(text));
	strcpy(text + sizeof(text) - 4, "/24");
	assert_int_equal(inet_net_parse(text, false, &n), -EINVAL);
	assert_int_equal(n.len, 42);
}

static void bare_addresses_are_hosts(void **state)
{
	struct inet_net n;

	(void)state;
	assert_int_equal(inet_net_parse("10.0.0.1", true, &n), 0);
	assert_int_equal(n.len, 32);
	assert_int_equal(inet_net_parse("fd00::1", true, &n), 0);
	assert_int_equal(n.len, 128);
	assert_int_equal(inet_net_parse("fd00::1/", true, &n), -EINVAL);
}

static void mask_clears_host_bits(void **state)
{
	static const struct {
		const char *net, *masked;
	} cases[] = {
		{ "10.1.2.3/24", "10.1.2.0/24" },	  { "10.1.2.255/25", "10.1.2.128/25" },
		{ "10.1.2.3/32", "10.1.2.3/32" },	  { "10.1.2.3/0", "0.0.0.0/0" },
		{ "255.255.255.255/9", "255.128.0.0/9" }, { "fd00:1:2:3::9/48", "fd00:1:2::/48" },
		{ "fd00::ffff/127", "fd00::fffe/127" },	  { "ffff::/1", "8000::/1" },
	};
	char text[INET_TEXT];

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		struct inet_net n = net(cases[i].net);

		inet_net_mask(&n);
		assert_string_equal(inet_net_format(&n, text), cases[i].masked);
	}
}

static void contains_is_by_prefix_and_family(void **state)
{
	struct inet_net v4 = net("10.1.2.3/24"), all4 = net("0.0.0.0/0"), v6 = net("fd00::1/64");
	struct inet_addr in4 = addr("10.1.2.255"), out4 = addr("10.1.3.0"), in6 = addr("fd00::ff"),
			 out6 = addr("fd00:0:0:1::");

	(void)state;
	assert_true(inet_net_contains(&v4, &in4));
	assert_false(inet_net_contains(&v4, &out4));
	assert_true(inet_net_contains(&all4, &out4));
	assert_false(inet_net_contains(&all4, &in6));
	assert_true(inet_net_contains(&v6, &in6));
	assert_false(inet_net_contains(&v6, &out6));
	assert_false(inet_net_contains(&v6, &in4));
}

static void equal_compares_family_and_bytes(void **state)
{
	struct inet_addr zero4 = addr("0.0.0.0"), zero6 = addr("::"), one = addr("::1"),
			 none = { 0 };

	(void)state;
	assert_true(inet_addr_equal(&zero4, &zero4));
	assert_false(inet_addr_equal(&zero4, &zero6));
	assert_false(inet_addr_equal(&zero6, &one));
	assert_false(inet_addr_equal(&zero6, &none));
}

static void none_has_no_text_and_no_size(void **state)
{
	struct inet_net none = { 0 };
	char text[INET_TEXT] = "x";

	(void)state;
	assert_string_equal(inet_net_format(&none, text), "");
	assert_int_equal(inet_addr_size(&none.addr), 0);
	assert_int_equal(inet_addr_bits(&none.addr), 0);
}

static void hwaddrs_of_any_length(void **state)
{
	static const char ib[] = "80:00:02:08:fe:80:00:00:00:00:00:00:e4:1d:2d:03:00:a6:2c:01";
	char text[HWADDR_TEXT], longest[HWADDR_TEXT], too_long[HWADDR_TEXT + 3];
	struct hwaddr a;

	(void)state;
	assert_int_equal(hwaddr_parse("02:AB:cd:00:00:01", &a), 0);
	assert_int_equal(a.len, 6);
	assert_string_equal(hwaddr_format(&a, text), "02:ab:cd:00:00:01");
	assert_int_equal(hwaddr_parse(ib, &a), 0);
	assert_int_equal(a.len, 20);
	assert_string_equal(hwaddr_format(&a, text), ib);

	memset(longest, 'f', sizeof(longest));
	for (size_t i = 2; i < sizeof(longest); i += 3)
		longest[i] = ':';
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(hwaddr_parse(longest, &a), 0);
	assert_string_equal(hwaddr_format(&a, text), longest);
	snprintf(too_long, sizeof(too_long), "%s:ff", longest);
	assert_int_equal(hwaddr_parse(too_long, &a), -EINVAL);

	a.len = 0;
	assert_string_equal(hwaddr_format(&a, text), "");
}

static void bad_hwaddrs_are_refused(void **state)
{
	static const char *const bad[] = { "",	    ":",       "0",	"02:",	 "02:0",
					   "02-00", "02:00:g", "0x:00", " 2:00", "02:00 " };
	struct hwaddr a = { .len = 42 };

	(void)state;
	for (size_t i = 0; i < array_size(bad); i++)
		assert_int_equal(hwaddr_parse(bad[i], &a), -EINVAL);
	assert_int_equal(a.len, 42);
}

static bool is_unicast_mac(const char *text)
{
	struct hwaddr a;

	assert_int_equal(hwaddr_parse(text, &a), 0);
	return hwaddr_is_unicast_mac(&a);
}

static void unicast_macs(void **state)
{
	(void)state;
	assert_true(is_unicast_mac("02:00:00:00:00:01"));
	assert_false(is_unicast_mac("00:00:00:00:00:00"));
	assert_false(is_unicast_mac("01:00:5e:00:00:01"));
	assert_false(is_unicast_mac("ff:ff:ff:ff:ff:ff"));
	assert_false(is_unicast_mac("02:00:00:00:01"));
	assert_false(is_unicast_mac("02:00:00:00:00:00:00:01"));
}

static void guids_are_read_and_written(void **state)
{
	static const char *const bad[] = {
		"",
		"02:00:00:00:00:00:00",
		"02:00:00:00:00:00:00:01:02",
		"0200:0000:0000:0001",
		"0x02",
		"02:00:00:00:00:00:00:1",
		" 02:00:00:00:00:00:00:01",
		"02:00:00:00:00:00:00:0g",
	};
	struct hwaddr a;
	char text[GUID_TEXT];
	uint64_t guid = 42;

	(void)state;
	for (size_t i = 0; i < array_size(bad); i++)
		assert_int_equal(guid_parse(bad[i], &guid), -EINVAL);
	assert_true(guid == 42);
	assert_int_equal(guid_parse("F2:34:56:78:9a:bc:dE:f0", &guid), 0);
	assert_true(guid == 0xf23456789abcdef0);
	assert_string_equal(guid_format(guid, text), "f2:34:56:78:9a:bc:de:f0");

	assert_int_equal(
		hwaddr_parse("80:00:01:02:fe:80:00:00:00:00:00:00:f2:34:56:78:9a:bc:de:f0", &a), 0);
	assert_true(hwaddr_is_ipoib(&a));
	assert_true(hwaddr_guid(&a) == guid);
	assert_int_equal(hwaddr_parse("02:00:00:00:00:01", &a), 0);
	assert_false(hwaddr_is_ipoib(&a));
	assert_true(hwaddr_guid(&a) == 0);
}

static void hwaddr_equal_compares_length_too(void **state)
{
	struct hwaddr a = { .len = 2, .bytes = { 2, 0, 9 } },
		      b = { .len = 3, .bytes = { 2, 0, 9 } };

	(void)state;
	assert_false(hwaddr_equal(&a, &b));
	b.len = 2;
	b.bytes[2] = 0;
	assert_true(hwaddr_equal(&a, &b));
	b.bytes[1] = 1;
	assert_false(hwaddr_equal(&a, &b));
	assert_false(hwaddr_is_zero(&a));
	a.bytes[0] = 0;
	assert_true(hwaddr_is_zero(&a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_go_through_unchanged),
		cmocka_unit_test(bad_addresses_are_refused),
		cmocka_unit_test(nets_keep_their_host_bits),
		cmocka_unit_test(bad_nets_are_refused),
		cmocka_unit_test(bare_addresses_are_hosts),
		cmocka_unit_test(mask_clears_host_bits),
		cmocka_unit_test(contains_is_by_prefix_and_family),
		cmocka_unit_test(equal_compares_family_and_bytes),
		cmocka_unit_test(none_has_no_text_and_no_size),
		cmocka_unit_test(hwaddrs_of_any_length),
		cmocka_unit_test(bad_hwaddrs_are_refused),
		cmocka_unit_test(unicast_macs),
		cmocka_unit_test(guids_are_read_and_written),
		cmocka_unit_test(hwaddr_equal_compares_length_too),
	};

	return cmocka_run_group_tests_name("inet", tests, NULL, NULL);
}
