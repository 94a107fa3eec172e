/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interval arithmetic against a model that is too simple to be wrong: one bool an address, for 256
 * addresses at the bottom of the keys, at their top, in IPv4, and in the middle of IPv6.
 */
#include "unit.h"

#include "base/cleanup.h"
#include "range.h"

#include <errno.h>

#define MODEL  256
#define ROUNDS 3000

static const addr_key bases[] = { 0, ~(addr_key)0 - (MODEL - 1),
				  ((addr_key)0xffff << 32) | 0x0a000000, (addr_key)0xfd << 120 };

static unsigned int seed = 1;

static unsigned int any(unsigned int below)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % below;
}

static struct inet_net net(const char *text)
{
	struct inet_net n = { 0 };

	assert_int_equal(inet_net_parse(text, false, &n), 0);
	return n;
}

static addr_key key(const char *text)
{
	struct inet_addr a;

	assert_int_equal(inet_addr_parse(text, &a), 0);
	return addr_key_from(&a);
}

static void make_random(addr_key base, struct range_list *list, bool model[MODEL])
{
	memset(model, 0, MODEL);
	for (unsigned int n = any(7); n; n--) {
		unsigned int lo = any(MODEL), hi = lo + any(MODEL - lo);

		assert_int_equal(range_list_add(list, (struct range){ base + lo, base + hi }), 0);
		for (unsigned int i = lo; i <= hi; i++)
			model[i] = true;
	}
	range_list_merge(list);
}

static void assert_is(const struct range_list *list, addr_key base, const bool model[MODEL])
{
	addr_key count = 0;

	for (unsigned int i = 0; i < MODEL; i++) {
		assert_int_equal(range_list_has(list, base + i), model[i]);
		count += model[i];
	}
	assert_true(range_list_count(list) == count);
	for (size_t i = 0; i < list->count; i++) { /* ascending, apart, and not touching */
		assert_true(list->v[i].lo <= list->v[i].hi);
		if (i)
			assert_true(list->v[i].lo - 1 > list->v[i - 1].hi);
	}
}

static void lists_are_sets(void **state)
{
	bool a[MODEL], b[MODEL], want[MODEL];

	(void)state;
	for (unsigned int round = 0; round < ROUNDS; round++) {
		addr_key base = bases[round % array_size(bases)];
		auto_range_list struct range_list x = { 0 }, y = { 0 };

		make_random(base, &x, a);
		make_random(base, &y, b);
		assert_is(&x, base, a);
		for (unsigned int i = 0; i < MODEL; i++)
			want[i] = round & 1 ? a[i] && !b[i] : a[i] && b[i];
		if (round & 1)
			assert_int_equal(range_list_subtract(&x, &y), 0);
		else
			assert_int_equal(range_list_intersect(&x, &y), 0);
		assert_is(&x, base, want);
	}
}

/* Each prefix of the model's 256 addresses: what is usable, address by address. */
static void usable_addresses_of_small_prefixes(void **state)
{
	(void)state;
	for (int ipv6 = 0; ipv6 < 2; ipv6++)
		for (unsigned int host_bits = 0; host_bits <= 8; host_bits++) {
			auto_range_list struct range_list list = { 0 };
			struct inet_net n = net(ipv6 ? "fd00::/128" : "10.0.0.0/32");
			addr_key base = addr_key_from(&n.addr);
			unsigned int size = 1U << host_bits;
			bool model[MODEL] = { 0 };

			n.len = (uint8_t)(n.len - host_bits);
			for (unsigned int i = 0; i < size; i++)
				model[i] = size <= 2 || (i && (ipv6 || i + 1 < size));
			assert_int_equal(range_usable(&n, &list), 0);
			assert_is(&list, base, model);
		}
}

static void assert_usable(const char *subnet, const char *first, const char *last,
			  const char *count)
{
	auto_range_list struct range_list list = { 0 };
	struct inet_net n = net(subnet);
	char text[ADDR_COUNT_TEXT];

	assert_int_equal(range_usable(&n, &list), 0);
	assert_true(list.v[0].lo == key(first));
	assert_true(list.v[list.count - 1].hi == key(last));
	assert_string_equal(addr_count_format(range_list_count(&list), text), count);
}

static void usable_addresses_at_the_edges(void **state)
{
	(void)state;
	assert_usable("0.0.0.0/0", "0.0.0.1", "255.255.255.254", "4294967294");
	assert_usable("255.255.255.252/30", "255.255.255.253", "255.255.255.254", "2");
	assert_usable("255.255.255.254/31", "255.255.255.254", "255.255.255.255", "2");
	assert_usable("255.255.255.255/32", "255.255.255.255", "255.255.255.255", "1");
	assert_usable("10.0.0.0/8", "10.0.0.1", "10.255.255.254", "16777214");
	assert_usable("fd00::/64", "fd00::1", "fd00::ffff:ffff:ffff:ffff", "18446744073709551615");
	assert_usable("fd00::/126", "fd00::1", "fd00::3", "3");
	assert_usable("fd00::2/127", "fd00::2", "fd00::3", "2");
	assert_usable("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128",
		      "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
		      "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "1");
	/* 2^128 - 1 without the 2^32 keys of IPv4, which IPv6 never has on the wire */
	assert_usable("::/0", "::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
		      "340282366920938463463374607427473244159");
	assert_usable("::fffe:0:0/95", "::fffe:0:1", "::fffe:ffff:ffff", "4294967295");
}

static void keys_keep_families_apart(void **state)
{
	static const char *const texts[] = { "0.0.0.0",		 "255.255.255.255", "::",
					     "::fffe:ffff:ffff", "::1:0:0:0",	    "ffff::" };
	char text[INET_TEXT];

	(void)state;
	for (size_t i = 0; i < array_size(texts); i++) {
		struct inet_addr a = addr_key_to(key(texts[i]));
		uint8_t bytes[16];

		assert_string_equal(inet_addr_format(&a, text), texts[i]);
		addr_key_pack(key(texts[i]), bytes);
		assert_true(addr_key_unpack(bytes) == key(texts[i]));
	}
}

static void blocks_of_nodes(void **state)
{
	struct inet_net n = net("10.0.0.0/24"), all = net("::/0"), half = net("fd00::/64");
	struct range whole = range_of_net(&n), r = { 7, 7 };
	addr_key two_64 = (addr_key)1 << 64;

	(void)state;
	assert_int_equal(range_block(&whole, 64, 3, &r), 0);
	assert_true(r.lo == key("10.0.0.192") && r.hi == key("10.0.0.255"));
	assert_int_equal(range_block(&whole, 64, 4, &r), -ERANGE);
	assert_int_equal(range_block(&whole, 100, 2, &r), -ERANGE); /* the last is not whole */
	assert_int_equal(range_block(&whole, 256, 0, &r), 0);
	assert_int_equal(range_block(&whole, 257, 0, &r), -ERANGE);
	assert_int_equal(range_block(&whole, 1, 255, &r), 0);
	assert_int_equal(range_block(&whole, 0, 0, &r), -ERANGE);
	whole = range_of_net(&all);
	assert_int_equal(range_block(&whole, two_64, two_64 - 1, &r), 0);
	assert_true(r.hi == ~(addr_key)0);
	assert_int_equal(range_block(&whole, two_64, two_64, &r), -ERANGE);
	assert_int_equal(range_block(&whole, ~(addr_key)0, 1, &r), -ERANGE);
	whole = range_of_net(&half);
	assert_int_equal(range_block(&whole, two_64, 0, &r), 0);
	assert_int_equal(range_block(&whole, two_64 + 1, 0, &r), -ERANGE);
}

static void ranges_are_parsed(void **state)
{
	static const struct {
		const char *text, *lo, *hi;
	} good[] = { { "10.0.0.5", "10.0.0.5", "10.0.0.5" },
		     { "10.0.0.5-10.0.0.9", "10.0.0.5", "10.0.0.9" },
		     { "10.0.0.16/28", "10.0.0.16", "10.0.0.31" },
		     { "0.0.0.0/0", "0.0.0.0", "255.255.255.255" },
		     { "fd00::-fd00::ff", "fd00::", "fd00::ff" },
		     { "::/0", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" } };
	static const struct {
		const char *text;
		int err;
	} bad[] = { { "", -EINVAL },
		    { "10.0.0", -EINVAL },
		    { "10.0.0.1-", -EINVAL },
		    { "-10.0.0.1", -EINVAL },
		    { "10.0.0.1/33", -EINVAL },
		    { "10.0.0.17/28", -EDOM },
		    { "10.0.0.9-10.0.0.5", -EDOM },
		    { "10.0.0.9-fd00::1", -EDOM },
		    { "10.0.0.1-10.0.0.2-3", -EINVAL } };
	const char *why = NULL;
	struct range r;

	(void)state;
	for (size_t i = 0; i < array_size(good); i++) {
		assert_int_equal(range_parse(good[i].text, &r, &why), 0);
		assert_true(r.lo == key(good[i].lo) && r.hi == key(good[i].hi));
	}
	for (size_t i = 0; i < array_size(bad); i++)
		assert_int_equal(range_parse(bad[i].text, &r, &why), bad[i].err);
	assert_non_null(why);
}

/* Touching ranges become one; the largest ones do not wrap; 2^64 addresses are one interval. */
static void large_lists(void **state)
{
	auto_range_list struct range_list list = { 0 }, holes = { 0 };
	addr_key top = ~(addr_key)0, low = key("fd00::");
	char text[ADDR_COUNT_TEXT];

	(void)state;
	range_list_add(&list, (struct range){ top, top });
	range_list_add(&list, (struct range){ low, top - 1 });
	range_list_add(&list, (struct range){ low + 5, top });
	range_list_merge(&list);
	assert_int_equal(list.count, 1);
	assert_true(list.v[0].lo == low && list.v[0].hi == top);
	range_list_add(&holes, (struct range){ top, top });
	range_list_add(&holes, (struct range){ low, low });
	range_list_merge(&holes);
	assert_int_equal(range_list_subtract(&list, &holes), 0);
	assert_true(list.v[0].lo == low + 1 && list.v[0].hi == top - 1);
	addr_count_format(range_list_count(&list), text);
	assert_string_equal(text, "3987683987354747618711421180841033726"); /* 3 * 2^120 - 2 */
	for (size_t i = 0; i < 10000; i++)
		range_list_add(&holes, (struct range){ low + 10 * i, low + 10 * i + 3 });
	range_list_merge(&holes);
	assert_int_equal(range_list_subtract(&list, &holes), 0);
	assert_int_equal(list.count, 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_sets),
		cmocka_unit_test(usable_addresses_of_small_prefixes),
		cmocka_unit_test(usable_addresses_at_the_edges),
		cmocka_unit_test(keys_keep_families_apart),
		cmocka_unit_test(blocks_of_nodes),
		cmocka_unit_test(ranges_are_parsed),
		cmocka_unit_test(large_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
