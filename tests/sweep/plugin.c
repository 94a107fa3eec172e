/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin.h"

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
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

static pid_t start(char *const argv[], char *const envp[], const int fds[3])
{
	posix_spawn_file_actions_t files;
	pid_t pid;

	posix_spawn_file_actions_init(&files);
	for (int i = 0; i < 3; i++)
		posix_spawn_file_actions_adddup2(&files, fds[i], i);
	if (posix_spawn(&pid, argv[0], &files, NULL, argv, envp)) {
		perror(argv[0]);
		exit(3);
	}
	posix_spawn_file_actions_destroy(&files);
	return pid;
}

static void open_files(int fds[3], const char *input)
{
	fds[0] = memory_file(input);
	fds[1] = memory_file("");
	fds[2] = memory_file("");
}

static void keep_said(const int fds[3], int status, struct said *said)
{
	said->status = WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
	close(fds[0]);
	read_all(fds[1], said->out, sizeof(said->out));
	read_all(fds[2], said->err, sizeof(said->err));
}

/* Without a fault nobody watches, so it takes no longer than usual. */
static void run(const struct plan *plan, struct trace *trace, char *const argv[],
		char *const envp[], const char *input, struct said *said)
{
	int fds[3], status = 0;

	open_files(fds, input);
	if (!plan) {
		waitpid(start(argv, envp, fds), &status, 0);
	} else {
		if (trace_run(plan, argv, envp, fds, trace)) {
			perror("sweep: trace");
			exit(3);
		}
		status = trace->status;
	}
	keep_said(fds, status, said);
}

static char path_var[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";

/* What a runtime gives its plugin. */
struct params {
	char command[32], cid[64], netns[96], ifname[20], cni_path[1024];
	char *argv[3], *envp[7];
};

static void prepare(struct params *p, const struct caller *c, const char *verb, const char *pod)
{
	*p = (struct params){ 0 };
	p->argv[0] = (char *)(uintptr_t)c->plugin;
	p->envp[0] = path_var;
	if (!strcmp(verb, "repair")) {
		snprintf(p->command, sizeof(p->command), "repair");
		p->argv[1] = p->command;
		return;
	}
	snprintf(p->command, sizeof(p->command), "CNI_COMMAND=%s", verb);
	snprintf(p->cid, sizeof(p->cid), "CNI_CONTAINERID=cid-%s", pod);
	snprintf(p->netns, sizeof(p->netns), "CNI_NETNS=/run/netns/%s", pod);
	snprintf(p->ifname, sizeof(p->ifname), "CNI_IFNAME=net1");
	snprintf(p->cni_path, sizeof(p->cni_path), "CNI_PATH=%s", c->cni_path);
	p->envp[1] = p->command;
	p->envp[2] = p->cid;
	p->envp[3] = p->netns;
	p->envp[4] = p->ifname;
	p->envp[5] = p->cni_path;
}

void plugin_call(const struct caller *c, const char *verb, const char *pod, const struct plan *plan,
		 struct trace *trace, struct said *said)
{
	struct params p;

	prepare(&p, c, verb, pod);
	run(plan, trace, p.argv, p.envp, c->conf, said);
}

void plugin_repair(const struct caller *c, const struct plan *plan, struct trace *trace,
		   struct said *said)
{
	plugin_call(c, "repair", "", plan, trace, said);
}

void plugin_start(const struct caller *c, const char *verb, const char *pod, struct running *ret)
{
	struct params p;

	prepare(&p, c, verb, pod);
	open_files(ret->fds, c->conf);
	ret->pid = start(p.argv, p.envp, ret->fds);
}

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

void plugin_end(struct running *running, int kill_us, int limit_s, struct said *said)
{
	const int64_t start = now_us();
	bool hung = false;
	int status = 0;

	while (waitpid(running->pid, &status, WNOHANG) == 0) {
		int64_t waited = now_us() - start;

		if (waited / 1000000 >= limit_s)
			hung = true;
		if (hung || (kill_us >= 0 && waited >= kill_us))
			kill(running->pid, SIGKILL);
		usleep(1000);
	}
	keep_said(running->fds, status, said);
	if (hung)
		said->status = PLUGIN_HUNG;
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
