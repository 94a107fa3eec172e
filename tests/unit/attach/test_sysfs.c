/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing of sysfs, over trees like those of igb and mlx5. Whether VFs are found is proven in the lab. */
#include "unit.h"

#include "kernel/netns.h"
#include "kernel/sysfs_rdma.h"

#include <errno.h>
#include <sys/resource.h>

#define PF "bus/pci/devices/0000:01:00.0"
#define VF "bus/pci/devices/0000:01:10.2"

static void make(const char *path, const char *text)
{
	char part[200];

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		mkdirat(unit_dir_fd, part, 0755);
	}
	if (text)
		unit_write(path, text, 0644);
	else
		assert_int_equal(mkdirat(unit_dir_fd, path, 0755), 0);
}

static void make_link(const char *path, const char *target)
{
	make(path, NULL);
	assert_int_equal(unlinkat(unit_dir_fd, path, AT_REMOVEDIR), 0);
	assert_int_equal(symlinkat(target, unit_dir_fd, path), 0);
}

static void pci_addresses_are_strict(void **state)
{
	static const char *const bad[] = { "",
					   "0000:01:10",
					   "01:10.0",
					   "0000:01:10.8",
					   "0000:01:10.0 ",
					   "0000:01:10.0/..",
					   "../0000:01:10.0",
					   "0000:1:10.0",
					   "000000000:01:10.0",
					   "0000:01:10.00",
					   "000g:01:10.0" };
	char bdf[PCI_ADDR_MAX] = "untouched";

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(pci_addr_parse(bad[i], bdf), -EINVAL);
	assert_string_equal(bdf, "untouched");
	assert_int_equal(pci_addr_parse("0000:AF:1F.7", bdf), 0);
	assert_string_equal(bdf, "0000:af:1f.7");
	assert_int_equal(pci_addr_parse("10000:e1:00.4", bdf), 0);
	assert_string_equal(bdf, "10000:e1:00.4");
}

static void a_vf_knows_its_pf_and_number(void **state)
{
	char pf[PCI_ADDR_MAX], driver[SYSFS_NAME_MAX];
	uint32_t index = 77;

	(void)state;
	make(PF "/sriov_numvfs", "4\n");
	make(PF "/sriov_offset", "128\n");
	make(PF "/sriov_stride", "2\n");
	make_link(PF "/virtfn0", "../0000:01:10.0");
	make_link(PF "/virtfn1", "../0000:01:10.2");
	make_link(VF "/physfn", "../0000:01:00.0");
	make_link(VF "/driver", "../../../bus/pci/drivers/igbvf");
	assert_int_equal(sysfs_pci_pf(unit_dir_fd, "0000:01:10.2", pf), 0);
	assert_string_equal(pf, "0000:01:00.0");
	assert_int_equal(sysfs_pci_vf_index(unit_dir_fd, pf, "0000:01:10.2", &index), 0);
	assert_int_equal(index, 1);
	assert_int_equal(sysfs_pci_driver(unit_dir_fd, "0000:01:10.2", driver, sizeof(driver)), 0);
	assert_string_equal(driver, "igbvf");
	assert_int_equal(sysfs_pci_driver(unit_dir_fd, "0000:01:00.0", driver, sizeof(driver)), 0);
	assert_string_equal(driver, "");
	assert_int_equal(sysfs_pci_exists(unit_dir_fd, "0000:01:10.2"), 1);
	assert_int_equal(sysfs_pci_exists(unit_dir_fd, "0000:09:00.0"), 0);
	assert_int_equal(sysfs_pci_pf(unit_dir_fd, "0000:01:00.0", pf), -ENOENT);

	/* numbers that do not fit (the links count), and a device that is no VF of this PF */
	unit_write(PF "/sriov_stride", "1\n", 0644);
	assert_int_equal(sysfs_pci_vf_index(unit_dir_fd, pf, "0000:01:10.2", &index), 0);
	assert_int_equal(index, 1);
	unit_write(PF "/sriov_offset", "x\n", 0644);
	assert_int_equal(sysfs_pci_vf_index(unit_dir_fd, pf, "0000:01:10.0", &index), 0);
	assert_int_equal(index, 0);
	assert_int_equal(sysfs_pci_vf_index(unit_dir_fd, pf, "0000:02:10.0", &index), -ENOENT);
}

static void the_uplink_is_told_from_representors(void **state)
{
	char name[IFNAMSIZ];

	(void)state;
	make(PF "/net/a0/phys_port_name", "pf0vf0\n");
	make(PF "/net/a1/phys_port_name", "pf0sf1\n");
	make(PF "/net/uplink/phys_port_name", "p0\n");
	make(PF "/net/z0/phys_port_name", "c1pf0vf3\n");
	assert_int_equal(sysfs_pci_uplink(unit_dir_fd, "0000:01:00.0", name), 0);
	assert_string_equal(name, "uplink");
	make(VF "/net/eth0/mtu", "1500\n"); /* a driver without port names */
	assert_int_equal(sysfs_pci_uplink(unit_dir_fd, "0000:01:10.2", name), 0);
	assert_string_equal(name, "eth0");
	assert_int_equal(sysfs_pci_uplink(unit_dir_fd, "0000:09:00.0", name), -ENOENT);
}

static void rdma_devices_are_found_in_any_namespace(void **state)
{
	struct sysfs_rdma devs[2];

	(void)state;
	make(VF "/net/eth0/mtu", "1500\n");
	assert_int_equal(sysfs_pci_rdma(unit_dir_fd, "0000:01:10.2", devs, 2), 0);
	make(VF "/infiniband_verbs/uverbs7/ibdev", "mlx5_4\n");
	make(VF "/infiniband_verbs/uverbs3/ibdev", "mlx5_3\n");
	make(VF "/infiniband/mlx5_3/node_type", "1: CA\n");
	assert_int_equal(sysfs_pci_rdma(unit_dir_fd, "0000:01:10.2", devs, 2), 2);
	assert_string_equal(devs[0].name, "mlx5_3");
	assert_int_equal(devs[0].uverbs, 3);
	assert_true(devs[0].here);
	assert_string_equal(devs[1].name, "mlx5_4");
	assert_false(devs[1].here); /* in another namespace */
	make(VF "/infiniband/mlx5_9/node_type",
	     "1: CA\n"); /* more than there is room for: told, not overrun */
	assert_int_equal(sysfs_pci_rdma(unit_dir_fd, "0000:01:10.2", devs, 2), 3);
}

/* So many descriptors more than are open now can be opened until allow_all(). */
static struct rlimit allowed;

static void allow_more(rlim_t count)
{
	struct rlimit few;
	int next = dup(unit_dir_fd);

	assert_return_code(next, errno);
	close(next);
	assert_return_code(getrlimit(RLIMIT_NOFILE, &allowed), errno);
	few = (struct rlimit){ (rlim_t)next + count, allowed.rlim_max };
	assert_return_code(setrlimit(RLIMIT_NOFILE, &few), errno);
}

static void allow_all(void)
{
	assert_return_code(setrlimit(RLIMIT_NOFILE, &allowed), errno);
}

/* Whoever believed it would leave a pod's device where it is, or take a living pod for a dead one. */
static void what_cannot_be_looked_at_is_not_missing(void **state)
{
	char name[IFNAMSIZ], driver[SYSFS_NAME_MAX] = "x";
	struct sysfs_rdma devs[2];
	int rdma[2], uplink[2], ns, found;
	struct netns_id own;
	struct err e;

	(void)state;
	make(VF "/infiniband_verbs/uverbs3/ibdev", "mlx5_3\n");
	make(PF "/net/rep/phys_port_name", "pf0vf0\n");
	ns = netns_open_own(&e);
	assert_return_code(netns_id(ns, &own, &e), 0);
	close(ns);
	for (rlim_t more = 0; more < 2; more++) { /* of the directory, of the file in it */
		allow_more(more);
		rdma[more] = sysfs_pci_rdma(unit_dir_fd, "0000:01:10.2", devs, 2);
		uplink[more] = sysfs_pci_uplink(unit_dir_fd, "0000:01:00.0", name);
		allow_all();
	}
	allow_more(0);
	ns = netns_open("/proc/self/ns/net", &e);
	found = netns_find(&own, &e);
	allow_all();
	for (int i = 0; i < 2; i++) {
		assert_int_equal(rdma[i], -EMFILE);
		assert_int_equal(uplink[i], -EMFILE);
	}
	assert_int_equal(ns, -EMFILE);
	assert_false(netns_is_gone(ns));
	assert_int_equal(found, -EMFILE);
	assert_err(&e, CNI_ERR_IO, "look for a network namespace in /proc");
	allow_more(1); /* /proc, and none of its namespaces */
	found = netns_find(&own, &e);
	allow_all();
	assert_int_equal(found, -EMFILE);
	/* of a descriptor that is none */
	assert_int_equal(sysfs_pci_exists(-1, "0000:01:10.2"), -EBADF);
	assert_int_equal(sysfs_pci_driver(-1, "0000:01:10.2", driver, sizeof(driver)), -EBADF);
	assert_string_equal(driver, "");
}

/* As mlx5 and mana have them, below auxiliary devices; other things with dots, and of other buses, are none. */
static void rdma_devices_of_auxiliary_devices_are_the_functions(void **state)
{
	struct sysfs_rdma devs[4];

	(void)state;
	make(VF "/infiniband_verbs/uverbs4/ibdev", "rocep1s0v1\n");
	make(VF "/infiniband/rocep1s0v1/node_type", "1: CA\n");
	make(VF "/mlx5_core.rdma.4/infiniband_verbs/uverbs2/ibdev", "mlx5_4\n");
	make_link(VF "/mlx5_core.rdma.4/subsystem", "../../../../../bus/auxiliary");
	make(VF "/mlx5_core.sf.7/infiniband_verbs/uverbs9/ibdev", "mlx5_9\n");
	make(VF "/mlx5_core.sf.7/infiniband/mlx5_9/node_type", "1: CA\n");
	make_link(VF "/mlx5_core.sf.7/subsystem", "../../../../../bus/auxiliary");
	make(VF "/mlx5_core.eth.4/net/eth0/mtu", "1500\n");
	make_link(VF "/mlx5_core.eth.4/subsystem", "../../../../../bus/auxiliary");
	make(VF "/some.other.1/infiniband/not_mine/node_type", "1: CA\n");
	make_link(VF "/some.other.1/subsystem", "../../../../../bus/platform");
	make(VF "/msi_irqs/24", "msix\n");
	assert_int_equal(sysfs_pci_rdma(unit_dir_fd, "0000:01:10.2", devs, 4), 3);
	assert_string_equal(devs[0].name, "mlx5_4");
	assert_string_equal(devs[0].parent, "mlx5_core.rdma.4");
	assert_int_equal(devs[0].uverbs, 2);
	assert_false(devs[0].here);
	assert_string_equal(devs[1].name, "mlx5_9");
	assert_string_equal(devs[1].parent, "mlx5_core.sf.7");
	assert_true(devs[1].here);
	assert_string_equal(devs[2].name, "rocep1s0v1");
	assert_string_equal(devs[2].parent, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pci_addresses_are_strict),
		unit_test_in_dir(a_vf_knows_its_pf_and_number),
		unit_test_in_dir(the_uplink_is_told_from_representors),
		unit_test_in_dir(what_cannot_be_looked_at_is_not_missing),
		unit_test_in_dir(rdma_devices_are_found_in_any_namespace),
		unit_test_in_dir(rdma_devices_of_auxiliary_devices_are_the_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
