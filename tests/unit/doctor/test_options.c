/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "base/cleanup.h"
#include "options.h"

/* A command line of words with a space between. */
static int parse(const char *line, struct options *ret, struct err *e)
{
	static char text[256];
	char *argv[32] = { (char[]){ "doctor" } };
	int argc = 1;

	snprintf(text, sizeof(text), "%s", line);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	return options_parse(argc, argv, ret, e);
}

static void without_options_it_looks_around_here(void **state)
{
	struct options o;
	struct err e;

	(void)state;
	assert_int_equal(parse("", &o, &e), 0);
	assert_int_equal(o.mode, DOCTOR_LOCAL);
	assert_null(o.netns);
	assert_int_equal(o.pid, 0);
	assert_int_equal(o.device_count, 0);
	assert_null(o.interface);
	assert_int_equal(o.timeout, 10);
	assert_false(o.json);
}

static void all_options_are_read(void **state)
{
	struct options o;
	struct err e;

	(void)state;
	assert_int_equal(
		parse("--netns /run/netns/one --device mlx5_0 --device mlx5_1 --interface net1 --json "
		      "--timeout 3 --pod default/a",
		      &o, &e),
		0);
	assert_string_equal(o.netns, "/run/netns/one");
	assert_int_equal(o.device_count, 2);
	assert_string_equal(o.devices[1], "mlx5_1");
	assert_string_equal(o.interface, "net1");
	assert_string_equal(o.pod, "default/a");
	assert_int_equal(o.timeout, 3);
	assert_true(o.json);

	assert_int_equal(parse("--pid 42 --server --port 7 --wait 9", &o, &e), 0);
	assert_int_equal(o.mode, DOCTOR_SERVER);
	assert_int_equal(o.pid, 42);
	assert_int_equal(o.port, 7);
	assert_int_equal(o.wait, 9);

	assert_int_equal(
		parse("--client fd00::1 --size 67108864 --iterations 5 --seconds 2", &o, &e), 0);
	assert_int_equal(o.mode, DOCTOR_CLIENT);
	assert_int_equal(o.peer.family, AF_INET6);
	assert_int_equal(o.size, TRANSFER_SIZE_MAX);
	assert_int_equal(o.iterations, 5);
	assert_int_equal(o.seconds, 2);
	assert_int_equal(o.port, 18516);

	assert_int_equal(parse("--version --nonsense", &o, &e), 0);
	assert_int_equal(o.mode, DOCTOR_VERSION);
	assert_int_equal(parse("-h", &o, &e), 0);
	assert_int_equal(o.mode, DOCTOR_HELP);
}

static void what_is_wrong_is_named(void **state)
{
	static const struct {
		const char *line, *names, *says;
	} cases[] = {
		{ "--nonsense", "--nonsense", "unknown option" },
		{ "mlx5_0", "mlx5_0", "unknown argument" },
		{ "--netns", "--netns", "wants a value" },
		{ "--pid 0", "--pid: \"0\"", "from 1" },
		{ "--pid -1", "--pid: \"-1\"", "from 1" },
		{ "--pid 1x", "--pid: \"1x\"", "from 1" },
		{ "--netns /x --pid 1", "--netns and --pid", "only one" },
		{ "--device a/b", "--device: \"a/b\"", "name of an RDMA device" },
		{ "--interface ../net1", "--interface: ", "interface's name" },
		{ "--interface sixteen-bytes-xx", "--interface: ", "interface's name" },
		{ "--timeout 3601", "--timeout: \"3601\"", "3600" },
		{ "--client one", "--client: \"one\"", "IPv4 or IPv6 address" },
		{ "--client 10.0.0.1 --server", "--server and --client", "only one" },
		{ "--client 10.0.0.1 --size 67108865", "--size: ", "67108864" },
		{ "--client 10.0.0.1 --seconds 0", "--seconds: \"0\"", "3600" },
		{ "--client 10.0.0.1 --iterations 4294967296", "--iterations: ", "4294967295" },
		{ "--server --port 65536", "--port: \"65536\"", "65535" },
		{ "--port 1", "--port", "--server and --client" },
		{ "--wait 1 --client 10.0.0.1", "--wait", "--server" },
		{ "--size 1 --server", "--size", "--client" },
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		struct options o = { .port = 1 };
		struct err e = { 0 };
		int r = parse(cases[i].line, &o, &e);

		if (!r)
			fail_msg("%s was taken", cases[i].line);
		assert_err(&e, CNI_ERR_CONFIG, cases[i].names, cases[i].says);
		assert_int_equal(o.port, 1);
	}
}

static void there_is_room_for_so_many_devices(void **state)
{
	char *argv[2 * (OPTIONS_DEVICES + 1) + 1] = { (char[]){ "doctor" } };
	char option[] = "--device", name[] = "mlx5_0";
	struct options o;
	struct err e = { 0 };

	(void)state;
	for (size_t i = 1; i < array_size(argv); i++)
		argv[i] = i % 2 ? option : name;
	assert_int_equal(options_parse((int)array_size(argv) - 2, argv, &o, &e), 0);
	assert_int_equal(o.device_count, OPTIONS_DEVICES);
	assert_true(options_parse((int)array_size(argv), argv, &o, &e) < 0);
	assert_err(&e, CNI_ERR_CONFIG, "--device", "16");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_options_it_looks_around_here),
		cmocka_unit_test(all_options_are_read),
		cmocka_unit_test(what_is_wrong_is_named),
		cmocka_unit_test(there_is_room_for_so_many_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
