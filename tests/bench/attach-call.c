/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs run one after the other, in turns, and what each took, seen from outside. tests/bench/attach compiles
 * this (static: what is started begins with the memory of its starter, and would be measured with it) and runs it
 * in the guest.
 *
 *   attach-call ROUNDS <STEPS
 *
 * A step is a line: NAME VERB PROGRAM [ARGUMENT…]. With a CNI verb, PROGRAM is a plugin, CNI_COMMAND is VERB, and the
 * argument is the file for its stdin; with VERB "-" it is any program with its arguments. A round is all the steps in
 * their order; steps of one name are added up, and those named "." are not measured. Prints, for each name:
 * NAME WALL CPU MEMORY: medians of microseconds, the largest resident set in KiB.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEPS_MAX 64
#define ARGS_MAX  16
#define PAUSE_US \
	50000 /* between two steps: what the kernel has put off until later is no part of the next */

struct cost {
	double wall, cpu; /* microseconds */
	long memory; /* KiB */
};

struct step {
	char *name, *verb, *args[ARGS_MAX + 1];
	struct cost *costs; /* one a round; of the first step of a name */
};

extern char **environ;

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double timeval_us(struct timeval t)
{
	return (double)t.tv_sec * 1e6 + (double)t.tv_usec;
}

static pid_t start(const struct step *s)
{
	char *plugin[] = { s->args[0], NULL };
	posix_spawn_file_actions_t files;
	int is_plugin = strcmp(s->verb, "-");
	pid_t pid;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO,
					 is_plugin && s->args[1] ? s->args[1] : "/dev/null",
					 O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	if (is_plugin)
		setenv("CNI_COMMAND", s->verb, 1);
	if (posix_spawnp(&pid, s->args[0], &files, NULL, is_plugin ? plugin : s->args, environ)) {
		perror(s->args[0]);
		exit(1);
	}
	posix_spawn_file_actions_destroy(&files);
	return pid;
}

static struct cost run(const struct step *s)
{
	double begin = now_us();
	pid_t pid = start(s);
	struct rusage used;
	int status;

	if (wait4(pid, &status, 0, &used) < 0 || status) {
		fprintf(stderr, "%s %s failed: status %d\n", s->verb, s->args[0], status);
		exit(1);
	}
	return (struct cost){ now_us() - begin,
			      timeval_us(used.ru_utime) + timeval_us(used.ru_stime),
			      used.ru_maxrss };
}

static int read_steps(struct step *steps)
{
	char line[4096], *word;
	int count = 0;

	while (count < STEPS_MAX && fgets(line, sizeof(line), stdin)) {
		struct step *s = &steps[count];
		int n = 0;

		s->name = strtok(strdup(line), " \n");
		s->verb = strtok(NULL, " \n");
		while (n < ARGS_MAX && (word = strtok(NULL, " \n")))
			s->args[n++] = word;
		if (n)
			count++;
	}
	return count;
}

/* The first step of a name keeps the costs of all. */
static struct step *first_of(struct step *steps, struct step *s)
{
	while (strcmp(steps->name, s->name))
		steps++;
	return steps;
}

static void add_cost(struct cost *to, const struct cost *c)
{
	to->wall += c->wall;
	to->cpu += c->cpu;
	to->memory = c->memory > to->memory ? c->memory : to->memory;
}

static int by_wall(const void *a, const void *b)
{
	const struct cost *x = a, *y = b;

	return x->wall < y->wall ? -1 : x->wall > y->wall;
}

static int by_cpu(const void *a, const void *b)
{
	const struct cost *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static void print_medians(const char *name, struct cost *costs, int rounds)
{
	double wall;
	long memory = 0;

	for (int i = 0; i < rounds; i++)
		memory = costs[i].memory > memory ? costs[i].memory : memory;
	qsort(costs, (size_t)rounds, sizeof(*costs), by_wall);
	wall = costs[rounds / 2].wall;
	qsort(costs, (size_t)rounds, sizeof(*costs), by_cpu);
	printf("%s %.0f %.0f %ld\n", name, wall, costs[rounds / 2].cpu, memory);
}

int main(int argc, char **argv)
{
	static struct step steps[STEPS_MAX];
	int rounds = argc == 2 ? atoi(argv[1]) : 0, count = read_steps(steps);

	if (rounds < 1 || !count)
		return 2;
	for (int i = 0; i < count; i++)
		steps[i].costs = calloc((size_t)rounds, sizeof(*steps[i].costs));
	for (int r = -1; r < rounds; r++) /* the first fills the caches, and does not count */
		for (int i = 0; i < count; i++) {
			struct cost c = run(&steps[i]);

			if (r >= 0)
				add_cost(&first_of(steps, &steps[i])->costs[r], &c);
			usleep(PAUSE_US);
		}
	for (int i = 0; i < count; i++)
		if (strcmp(steps[i].name, ".") && first_of(steps, &steps[i]) == &steps[i])
			print_medians(steps[i].name, steps[i].costs, rounds);
	return 0;
}
