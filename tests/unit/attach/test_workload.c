/* SPDX-License-Identifier: Apache-2.0 */
/* What a pod's workload is told, and where. JSON is written with ' for " here, so that it can be read. */
#include "unit.h"

#include "base/cleanup.h"
#include "workload.h"
#include "workload_path.h"

#include <errno.h>

#define UID "3f1c2a44-9d7e-4c39-8a30-0a1b2c3d4e5f"

static struct cni_env env = {
	.container_id = "abc",
	.args = "IgnoreUnknown=1;K8S_POD_NAMESPACE=train;K8S_POD_NAME=trainer-0;K8S_POD_UID=" UID,
};

static void tokens_are_put_in(void **state)
{
	static const struct {
		const char *template, *root, *below;
	} cases[] = {
		{ "/var/lib/kubelet/pods/{podUID}/volumes/kubernetes.io~empty-dir/rdma",
		  "/var/lib/kubelet/pods/", UID "/volumes/kubernetes.io~empty-dir/rdma" },
		{ "/run/rdma/{podNamespace}_{podName}", "/run/rdma/", "train_trainer-0" },
		{ "/run/rdma-{containerID}/", "/run/", "rdma-abc/" },
		{ "/{podUID}", "/", UID },
	};
	struct workload_path path;
	struct err e;

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		assert_int_equal(workload_path_check(cases[i].template, &e), 0);
		assert_int_equal(workload_path_expand(cases[i].template, &env, &path, &e), 0);
		assert_string_equal(path.root, cases[i].root);
		assert_string_equal(path.below, cases[i].below);
		assert_int_equal(workload_path_is_kubelet(&path), i == 0);
	}
}

static void bad_templates_are_told(void **state)
{
	static const char *const bad[][2] = {
		{ "run/{podUID}", "absolute path" },
		{ "/run/rdma", "same for several pods" },
		{ "/run/{podName}", "same for several pods" },
		{ "/run/{podNamespace}", "same for several pods" },
		{ "/run/../{podUID}", "component . or .." },
		{ "/run/{podUID}/..", "component . or .." },
		{ "/run/./{podUID}", "component . or .." },
		{ "/run/{poduid}", "token other than" },
		{ "/run/{podUID", "token other than" },
	};
	struct err e;

	(void)state;
	for (size_t i = 0; i < array_size(bad); i++) {
		if (!workload_path_check(bad[i][0], &e))
			fail_msg("%s was taken", bad[i][0]);
		assert_err(&e, CNI_ERR_CONFIG, bad[i][0], bad[i][1]);
	}
}

static void no_value_is_more_than_a_name(void **state)
{
	static const char *const bad[] = { "K8S_POD_UID=..",	     "K8S_POD_UID=../x",
					   "K8S_POD_UID=a/b",	     "K8S_POD_UID=.x",
					   "K8S_POD_UID=a..b",	     "K8S_POD_UID=a b",
					   "K8S_POD_UID={podName}",  "K8S_POD_UID=",
					   "K8S_POD_NAME=trainer-0", "" };
	struct workload_path path = { .root = "untouched" };
	struct cni_env asked = env;
	char longest[400] = "K8S_POD_UID=";
	struct err e;

	(void)state;
	for (size_t i = 0; i < array_size(bad); i++) {
		asked.args = bad[i];
		if (!workload_path_expand("/run/{podUID}", &asked, &path, &e))
			fail_msg("%s was taken", bad[i]);
		assert_err(&e, CNI_ERR_ENV, "rdma.workloadDir: {podUID}", "");
	}
	memset(longest + strlen(longest), 'x', 300);
	asked.args = longest;
	assert_int_not_equal(workload_path_expand("/run/{podUID}", &asked, &path, &e), 0);
	assert_string_equal(path.root, "untouched");
}

/* The directory below the unit's own, as a pod has got it. */
static struct workload_path pods_path(const char *below)
{
	struct workload_path path;

	snprintf(path.root, sizeof(path.root), "/proc/self/fd/%d/", unit_dir_fd);
	snprintf(path.below, sizeof(path.below), "%s", below);
	return path;
}

static void links_are_not_followed(void **state)
{
	struct workload_path path = pods_path("pod/volume");
	int fd;

	(void)state;
	assert_int_equal(mkdirat(unit_dir_fd, "pod", 0755), 0);
	assert_int_equal(symlinkat("/tmp", unit_dir_fd, "pod/volume"), 0);
	assert_int_equal(workload_path_open(&path, true), -ENOTDIR);
	path = pods_path("pod/volume/deeper");
	assert_int_equal(workload_path_open(&path, true), -ENOTDIR);
	path = pods_path("pod/other//deeper/");
	assert_int_equal(workload_path_open(&path, false), -ENOENT);
	fd = workload_path_open(&path, true);
	assert_true(fd >= 0);
	close(fd);
	/* removed as far as it is empty */
	workload_path_remove(&path);
	assert_int_not_equal(faccessat(unit_dir_fd, "pod/other", F_OK, 0), 0);
	assert_int_equal(faccessat(unit_dir_fd, "pod", F_OK, 0), 0);
	/* kubelet's are neither made nor removed */
	path = pods_path("pod/kubernetes.io~empty-dir/rdma");
	assert_int_equal(workload_path_open(&path, true), -ENOENT);
	assert_int_equal(mkdirat(unit_dir_fd, "pod/kubernetes.io~empty-dir", 0755), 0);
	assert_int_equal(mkdirat(unit_dir_fd, "pod/kubernetes.io~empty-dir/rdma", 0755), 0);
	workload_path_remove(&path);
	fd = workload_path_open(&path, true);
	assert_true(fd >= 0);
	close(fd);
}

static char *nccl_of(const char *attachments)
{
	json_auto_t *description = NULL;
	char text[2000];

	snprintf(text, sizeof(text), "{'attachments':[%s]}", attachments);
	for (char *c = text; *c; c++)
		if (*c == '\'')
			*c = '"';
	description = json_loads(text, 0, NULL);
	assert_non_null(description);
	return workload_nccl(description);
}

#define FIRST_LINE "# the RDMA devices and interfaces of this pod, by cni-sriov-rdma\n"

static void nccl_is_told_exact_names(void **state)
{
	auto_free char *text = nccl_of(
		"{'interface':'net1','addresses':['10.0.0.5/24','fd00::5/64'],'devices':[{'device':'mlx5_1','port':1,"
		"'gids':[{'index':3},{'index':5}]}]},"
		"{'interface':'net2','addresses':['10.0.1.5/24'],'devices':[{'device':'mlx5_2','port':1,"
		"'gids':[{'index':3}]},{'device':'mlx5_9','port':1}]},"
		"{'interface':'net3','addresses':[],'devices':[]}");
	auto_free char *none = nccl_of("{'interface':'net1','addresses':[],'devices':[]}");

	(void)state;
	assert_string_equal(text, FIRST_LINE "NCCL_IB_HCA==mlx5_1:1,mlx5_2:1,mlx5_9:1\n"
					     "NCCL_SOCKET_IFNAME==net1,net2\n");
	assert_string_equal(none, FIRST_LINE);
}

/* NCCL finds the GID of an IPv4 address itself, and not that of an IPv6 address. */
static void a_gid_index_is_fixed_only_where_nccl_finds_none(void **state)
{
#define RAIL(address, index)                                                                      \
	"{'interface':'n','addresses':['" address "'],'devices':[{'device':'d','port':1,'gids':[" \
	"{'index':" index "}]}]}"
	static const struct {
		const char *attachments, *index;
	} cases[] = {
		{ RAIL("fd00::1/64", "3") "," RAIL("fd01::1/64", "3"), "NCCL_IB_GID_INDEX=3\n" },
		{ RAIL("fd00::1/64", "3") "," RAIL("fd01::1/64", "4"), NULL },
		{ RAIL("fd00::1/64", "3") "," RAIL("10.0.0.1/24", "3"), NULL },
		{ RAIL("10.0.0.1/24", "3"), NULL },
		/* InfiniBand has no GIDs of addresses */
		{ "{'interface':'n','addresses':['fd00::1/64'],'devices':[{'device':'d','port':1}]}",
		  NULL },
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		auto_free char *text = nccl_of(cases[i].attachments);

		if (cases[i].index)
			assert_non_null(strstr(text, cases[i].index));
		else
			assert_null(strstr(text, "GID_INDEX"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens_are_put_in),
		cmocka_unit_test(bad_templates_are_told),
		cmocka_unit_test(no_value_is_more_than_a_name),
		unit_test_in_dir(links_are_not_followed),
		cmocka_unit_test(nccl_is_told_exact_names),
		cmocka_unit_test(a_gid_index_is_fixed_only_where_nccl_finds_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
