/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of IPAM plugins, timed from outside. tests/bench/ipam compiles and runs this.
 *
 *   ipam-call rounds N NAME PROGRAM CONFIGURATION [NAME PROGRAM CONFIGURATION …]
 *       N rounds of one ADD for each, so that what disturbs the machine disturbs all alike; prints
 *       "NAME MEDIAN-IN-MICROSECONDS" lines
 *   ipam-call burst N PROGRAM CONFIGURATION
 *       N ADDs at once; prints the microseconds until the last has ended
 */
#define _GNU_SOURCE /* environ */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static pid_t start(const char *program, const char *conf)
{
	static unsigned int count;
	char *argv[] = { (char *)program, NULL };
	posix_spawn_file_actions_t files;
	char cid[64];
	pid_t pid;

	snprintf(cid, sizeof(cid), "%d-%u", (int)getpid(), count++);
	setenv("CNI_CONTAINERID", cid, 1);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, conf, O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	if (posix_spawn(&pid, program, &files, NULL, argv, environ)) {
		perror(program);
		exit(1);
	}
	posix_spawn_file_actions_destroy(&files);
	return pid;
}

static void end(pid_t pid, const char *program)
{
	int status;

	if (waitpid(pid, &status, 0) < 0 || status) {
		fprintf(stderr, "%s failed: status %d\n", program, status);
		exit(1);
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void rounds(int n, int cases, char **argv)
{
	double *took = calloc((size_t)n * (size_t)cases, sizeof(*took));

	for (int i = 0; i < n; i++)
		for (int k = 0; k < cases; k++) {
			int c = (i + k) % cases; /* none is always behind the same other one */
			double begin = now_us();

			end(start(argv[3 * c + 1], argv[3 * c + 2]), argv[3 * c]);
			took[c * n + i] = now_us() - begin;
		}
	for (int c = 0; c < cases; c++) {
		qsort(took + c * n, (size_t)n, sizeof(*took), by_value);
		printf("%s %.0f\n", argv[3 * c], took[c * n + n / 2]);
	}
	free(took);
}

static void burst(int n, char **argv)
{
	pid_t *pids = calloc((size_t)n, sizeof(*pids));
	double begin = now_us();

	for (int i = 0; i < n; i++)
		pids[i] = start(argv[0], argv[1]);
	for (int i = 0; i < n; i++)
		end(pids[i], argv[0]);
	printf("%.0f\n", now_us() - begin);
	free(pids);
}

int main(int argc, char **argv)
{
	setenv("CNI_COMMAND", "ADD", 1);
	setenv("CNI_IFNAME", "net1", 1);
	setenv("CNI_NETNS", "/var/run/netns/none", 1);
	setenv("CNI_PATH", "/usr/lib/cni", 1);
	if (argc >= 6 && !strcmp(argv[1], "rounds") && argc % 3 == 0)
		rounds(atoi(argv[2]), (argc - 3) / 3, argv + 3);
	else if (argc == 5 && !strcmp(argv[1], "burst"))
		burst(atoi(argv[2]), argv + 3);
	else
		return 2;
	return 0;
}
