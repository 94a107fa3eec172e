/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs_check.h"

#include "base/cleanup.h"
#include "base/program.h"
#include "cni/delegate.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/wait.h>

#define DOCTOR "cni-sriov-rdma-doctor"

#define DOCTOR_SECONDS "10"
#define DOCTOR_MS      15000 /* it ends by itself before that, and then can say what it waited for */
#define OUTPUT_MAX     ((size_t)1 << 20)

/* What it can fail with when it has not looked at anything. */
enum { STATUS_FAILED = 1 };

static int find_doctor(const char *path, char ret[PATH_MAX], struct err *e)
{
	if (!program_find_beside(DOCTOR, ret))
		return 0;
	if (!cni_delegate_find(path, DOCTOR, ret, e))
		return 0;
	err_set(e, CNI_ERR_CONFIG, ENOENT, "rdma.check: \"verbs\" needs " DOCTOR);
	err_details(e, "install it beside the plugin, or in a directory of CNI_PATH");
	return -ENOENT;
}

static const char *text_of(const json_t *check, const char *key)
{
	return json_string_value(json_object_get(check, key)) ?: "";
}

/* The first check that failed, in the order of the report: later ones may have failed for its sake. */
static const json_t *find_failed(const json_t *report)
{
	const json_t *check;
	size_t i;

	json_array_foreach(json_object_get(report, "checks"), i, check)
		if (!strcmp(text_of(check, "status"), "fail"))
			return check;
	return NULL;
}

static int failed(const json_t *check, struct err *e)
{
	const char *id = text_of(check, "id"), *device = text_of(check, "device");

	err_set(e, CNI_ERR_STATE, 0, "RDMA check %s%s%s failed", id, *device ? " of " : "", device);
	err_details(e, "%s: %s; expected: %s; observed: %s; source: %s", id,
		    text_of(check, "reason"), text_of(check, "expected"),
		    text_of(check, "observed"), text_of(check, "source"));
	return -EINVAL;
}

int verbs_check_judge(int status, const char *output, struct err *e)
{
	json_auto_t *report = json_loads(output, JSON_REJECT_DUPLICATES, NULL);
	const json_t *check = find_failed(report);
	bool passed = !strcmp(text_of(report, "status"), "pass");

	if (WIFEXITED(status) && !WEXITSTATUS(status) && passed && !check)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_FAILED && check)
		return failed(check, e);
	if (WIFSIGNALED(status))
		return err_set(e, CNI_ERR_IO, 0, "rdma.check: " DOCTOR " was ended by signal %d",
			       WTERMSIG(status));
	err_set(e, CNI_ERR_IO, 0, "rdma.check: " DOCTOR " did not check anything (exit status %d)",
		WEXITSTATUS(status));
	err_details(e, "%s", text_of(report, "error"));
	return -EINVAL;
}

/* The command line: the interface, and all devices that it shall have. */
static void command_line(const struct cni_call *call, const struct vf_state *now, const char *pod,
			 const char *argv[])
{
	static const char *const front[] = { DOCTOR, "--json", "--timeout", DOCTOR_SECONDS };
	unsigned int n = 0;

	for (size_t i = 0; i < array_size(front); i++)
		argv[n++] = front[i];
	argv[n++] = "--netns";
	argv[n++] = call->env.netns;
	argv[n++] = "--interface";
	argv[n++] = call->env.ifname;
	argv[n++] = "--pod";
	argv[n++] = pod;
	for (unsigned int i = 0; i < now->rdma_count; i++) {
		argv[n++] = "--device";
		argv[n++] = now->rdma[i].name;
	}
	argv[n] = NULL;
}

int verbs_check(const struct cni_call *call, const struct record *record,
		const struct vf_state *now, struct err *e)
{
	const char *argv[11 + 2 * VF_RDMA_DEVS];
	char file[PATH_MAX], pod[400];
	auto_free char *output = NULL;
	int status, r;

	if (!now->rdma_count || !(now->fields & VF_LINK))
		return 0;
	r = find_doctor(call->env.path, file, e);
	if (r)
		return r;
	command_line(call, now, record_pod(record, pod, sizeof(pod)), argv);
	r = program_run(file, (char *const *)(uintptr_t)argv, DOCTOR_MS, OUTPUT_MAX, &output,
			&status);
	if (r)
		return err_set(e, CNI_ERR_IO, r, "rdma.check: run %s", file);
	return verbs_check_judge(status, output, e);
}
