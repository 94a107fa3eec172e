/* SPDX-License-Identifier: Apache-2.0 */
#include "base/program.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define CHUNK ((size_t)8 << 10)

/* One that was killed can still be inside a driver, where signals wait: so long, and not for ever. */
#define REAP_MS 1000
#define POLL_MS 5

int program_find_beside(const char *name, char *ret)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	struct stat st;
	char *slash;

	if (n < 0)
		return -errno;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (!slash || (size_t)(slash - path) + strlen(name) + 2 > sizeof(path))
		return -ENOENT;
	strcpy(slash + 1, name);
	if (stat(path, &st) || !S_ISREG(st.st_mode) || access(path, X_OK))
		return -ENOENT;
	strcpy(ret, path);
	return 0;
}

/* The process, or a negative errno. */
static pid_t start(const char *file, char *const argv[], int out)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t pipe_signal;
	pid_t pid;
	int r;

	if (posix_spawn_file_actions_init(&files))
		return -ENOMEM;
	if (posix_spawnattr_init(&attr)) {
		posix_spawn_file_actions_destroy(&files);
		return -ENOMEM;
	}
	/* if ours is ignored, exec would pass that on */
	sigemptyset(&pipe_signal);
	sigaddset(&pipe_signal, SIGPIPE);
	r = posix_spawnattr_setsigdefault(&attr, &pipe_signal) ?:
	    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF) ?:
	    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0) ?:
	    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO) ?:
	    posix_spawn(&pid, file, &files, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	return r ? -r : pid;
}

/* Wait until there is something to read, or the end of it. */
static int await_output(int fd, uint64_t deadline)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t now;
	int n;

	do {
		now = clock_ms();
		n = now < deadline ? poll(&p, 1, (int)(deadline - now)) : 0;
	} while (n < 0 && errno == EINTR);
	return n > 0 ? 0 : n ? -errno : -ETIMEDOUT;
}

static int read_output(int fd, uint64_t deadline, size_t limit, char **ret)
{
	auto_free char *text = NULL;
	size_t len = 0;
	ssize_t n;
	char *grown;
	int r;

	do {
		grown = realloc(text, len + CHUNK + 1);
		if (!grown)
			return -ENOMEM;
		text = grown;
		r = await_output(fd, deadline);
		if (r)
			return r;
		n = read(fd, text + len, CHUNK);
		if (n < 0 && errno != EINTR)
			return -errno;
		len += n > 0 ? (size_t)n : 0;
		if (len > limit)
			return -EFBIG;
	} while (n);
	text[len] = '\0';
	*ret = take_ptr(text);
	return 0;
}

static bool reap(pid_t pid, uint64_t deadline, int *ret_status)
{
	pid_t n;

	for (;;) {
		n = waitpid(pid, ret_status, WNOHANG);
		if (n == pid)
			return true;
		if ((n < 0 && errno != EINTR) || clock_ms() >= deadline)
			return false;
		clock_pause(POLL_MS);
	}
}

int program_run(const char *file, char *const argv[], unsigned int timeout_ms, size_t limit,
		char **ret_output, int *ret_status)
{
	uint64_t deadline = clock_ms() + timeout_ms;
	auto_close int out_read = -1, out_write = -1;
	auto_free char *text = NULL;
	int out[2], status, r;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC))
		return -errno;
	out_read = out[0];
	out_write = out[1];
	pid = start(file, argv, out_write);
	if (pid < 0)
		return pid;
	close(take_fd(&out_write));
	r = read_output(out_read, deadline, limit, &text);
	if (!r && !reap(pid, deadline, &status))
		r = -ETIMEDOUT;
	if (r) {
		kill(pid, SIGKILL);
		reap(pid, clock_ms() + REAP_MS, &status);
		return r;
	}
	*ret_output = take_ptr(text);
	*ret_status = status;
	return 0;
}
