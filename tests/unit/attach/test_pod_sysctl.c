/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "kernel/sysctl.h"
#include "pod_sysctl.h"

#include <errno.h>

static void keys_are_as_sysctl_has_them(void **state)
{
	static const struct {
		const char *key, *path;
	} cases[] = {
		{ "net.ipv4.conf.IFNAME.arp_ignore", "ipv4/conf/net1.5/arp_ignore" },
		{ "net/ipv4/conf/IFNAME/arp_ignore", "ipv4/conf/net1.5/arp_ignore" },
		{ "net.ipv4.conf.eth0/100.rp_filter", "ipv4/conf/eth0.100/rp_filter" },
		{ "net/ipv4/conf/eth0.100/rp_filter", "ipv4/conf/eth0.100/rp_filter" },
		{ "net.core.somaxconn", "core/somaxconn" },
	};
	char path[POD_SYSCTL_PATH_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(pod_sysctl_path(cases[i].key, "net1.5", path), 0);
		assert_string_equal(path, cases[i].path);
	}
}

static void no_key_leads_out_of_the_namespace(void **state)
{
	static const char *const bad[] = {
		"",
		"net",
		"net.",
		"net.ipv4",
		"net.ipv4.",
		"net..ipv4",
		".net.ipv4.ip_forward",
		"/net/ipv4/ip_forward",
		"kernel.hostname",
		"vm.swappiness",
		"netx.ipv4.ip_forward",
		"net/../kernel/hostname",
		"net.//.kernel.hostname",
		"net/./ipv4/ip_forward",
		"net/ipv4/conf/../../../kernel/hostname",
		"net.ipv4.ip_forward ",
		"net.ipv4.ip_forward\n",
		"IFNAME.ipv4.ip_forward",
		"net.ipv4.conf./.x",
	};
	char path[POD_SYSCTL_PATH_MAX] = "untouched", longest[600];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!pod_sysctl_path(bad[i], "net1", path))
			fail_msg("%s was taken", bad[i]);
	assert_int_equal(pod_sysctl_path("net.ipv4.conf.IFNAME.x", "..", path), -EINVAL);
	strcpy(longest, "net.ipv4.");
	memset(longest + 9, 'x', 300);
	longest[309] = '\0';
	assert_int_equal(pod_sysctl_path(longest, "net1", path), -EINVAL);
	strcpy(longest, "net");
	for (int i = 0; i < 200; i++)
		strcat(longest, ".x");
	assert_int_equal(pod_sysctl_path(longest, "net1", path), -EINVAL);
	assert_string_equal(path, "untouched");
}

static void values_are_compared_by_their_words(void **state)
{
	(void)state;
	assert_true(sysctl_value_equal("20000\t30000", "20000 30000"));
	assert_true(sysctl_value_equal(" 1", "1 "));
	assert_true(sysctl_value_equal("", " "));
	assert_false(sysctl_value_equal("1", "10"));
	assert_false(sysctl_value_equal("1", "1 0"));
	assert_false(sysctl_value_equal("1 0", "10"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_as_sysctl_has_them),
		cmocka_unit_test(no_key_leads_out_of_the_namespace),
		cmocka_unit_test(values_are_compared_by_their_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
