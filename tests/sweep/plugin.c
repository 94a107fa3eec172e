/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin.h"

#include <fcntl.h>
#include <jansson.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int memory_file(const char *text)
{
	int fd = memfd_create("sweep", MFD_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) ||
	    lseek(fd, 0, SEEK_SET)) {
		perror("sweep: memfd");
		exit(3);
	}
	return fd;
}

static void read_all(int fd, char *buf, size_t size)
{
	ssize_t n = pread(fd, buf, size - 1, 0);

	buf[n > 0 ? n : 0] = '\0';
	close(fd);
}

/* Without a fault: nobody watches, so it takes no longer than usual. */
static int run_plain(char *const argv[], char *const envp[], const int fds[3])
{
	posix_spawn_file_actions_t files;
	int status = 0;
	pid_t pid;

	posix_spawn_file_actions_init(&files);
	for (int i = 0; i < 3; i++)
		posix_spawn_file_actions_adddup2(&files, fds[i], i);
	if (posix_spawn(&pid, argv[0], &files, NULL, argv, envp)) {
		perror(argv[0]);
		exit(3);
	}
	posix_spawn_file_actions_destroy(&files);
	waitpid(pid, &status, 0);
	return status;
}

static void run(const struct plan *plan, struct trace *trace, char *const argv[],
		char *const envp[], const char *input, struct said *said)
{
	int fds[3] = { memory_file(input), memory_file(""), memory_file("") }, status;

	if (plan) {
		if (trace_run(plan, argv, envp, fds, trace)) {
			perror("sweep: trace");
			exit(3);
		}
		status = trace->status;
	} else {
		status = run_plain(argv, envp, fds);
	}
	said->status = WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
	close(fds[0]);
	read_all(fds[1], said->out, sizeof(said->out));
	read_all(fds[2], said->err, sizeof(said->err));
}

static char path_var[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";

void plugin_call(const struct caller *c, const char *verb, const char *pod, const struct plan *plan,
		 struct trace *trace, struct said *said)
{
	char command[32], cid[64], netns[96], ifname[] = "CNI_IFNAME=net1", cni_path[1024];
	char *envp[] = { path_var, command, cid, netns, ifname, cni_path, NULL };
	char *argv[] = { (char *)(uintptr_t)c->plugin, NULL };

	snprintf(command, sizeof(command), "CNI_COMMAND=%s", verb);
	snprintf(cid, sizeof(cid), "CNI_CONTAINERID=cid-%s", pod);
	snprintf(netns, sizeof(netns), "CNI_NETNS=/run/netns/%s", pod);
	snprintf(cni_path, sizeof(cni_path), "CNI_PATH=%s", c->cni_path);
	run(plan, trace, argv, envp, c->conf, said);
}

void plugin_repair(const struct caller *c, const struct plan *plan, struct trace *trace,
		   struct said *said)
{
	char command[] = "repair", *argv[] = { (char *)(uintptr_t)c->plugin, command, NULL };
	char *envp[] = { path_var, NULL };

	run(plan, trace, argv, envp, "", said);
}

const char *plugin_mistake(const char *verb, const struct said *said)
{
	bool is_add = !strcmp(verb, "ADD");
	json_t *root;
	bool good;

	if (said->status > 255 || !strcmp(verb, "repair")) /* killed; or it talks to people */
		return NULL;
	if (!said->status && !is_add)
		return said->out[0] ? "it succeeded and printed something" : NULL;
	root = json_loads(said->out, 0, NULL); /* refuses a second document */
	if (!root)
		return "stdout is not exactly one JSON document";
	good = said->status ? json_is_integer(json_object_get(root, "code")) &&
				      json_is_string(json_object_get(root, "msg"))
			    : json_is_array(json_object_get(root, "interfaces"));
	json_decref(root);
	return good ? NULL : said->status ? "stdout is no error object" : "stdout is no result";
}
