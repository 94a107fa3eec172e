/* SPDX-License-Identifier: Apache-2.0 */
#include "base/lock.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>

#define TICK_MS 20

static void on_tick(int sig)
{
	(void)sig; /* its arrival makes flock return EINTR, which is all that is wanted */
}

/*
 * A blocking flock is served in order and wakes at once, which polling does not; a repeating timer
 * bounds it. (A single shot could fire before flock is reached, and the wait would have no end.)
 */
static int flock_until(int fd, uint64_t deadline)
{
	struct sigaction tick = { .sa_handler = on_tick }, old;
	struct itimerval timer = { { 0, TICK_MS * 1000 }, { 0, TICK_MS * 1000 } }, off = { 0 };
	int r;

	sigaction(SIGALRM, &tick, &old);
	setitimer(ITIMER_REAL, &timer, NULL);
	do {
		r = flock(fd, LOCK_EX) ? -errno : 0;
	} while (r == -EINTR && clock_ms() < deadline);
	setitimer(ITIMER_REAL, &off, NULL);
	sigaction(SIGALRM, &old, NULL);
	return r == -EINTR ? -ETIMEDOUT : r;
}

/* Find the holder in /proc/locks: "1: FLOCK  ADVISORY  WRITE PID MAJ:MIN:INODE 0 EOF" (proc(5)). */
static int lock_holder(int fd)
{
	auto_fclose FILE *f = fopen("/proc/locks", "re");
	char line[256];
	struct stat st;

	if (!f || fstat(fd, &st))
		return 0;
	while (fgets(line, sizeof(line), f)) {
		unsigned int maj, min;
		unsigned long ino;
		int pid;

		if (sscanf(line, "%*d: FLOCK %*s WRITE %d %x:%x:%lu", &pid, &maj, &min, &ino) ==
			    4 &&
		    ino == st.st_ino && makedev(maj, min) == st.st_dev)
			return pid;
	}
	return 0;
}

static int lock_timed_out(int fd, const char *what, unsigned int timeout_ms, struct err *e)
{
	char comm[32] = "unknown", path[64];
	int pid = lock_holder(fd);

	if (!pid)
		return err_set(e, CNI_ERR_AGAIN, ETIMEDOUT, "lock %s was not free within %u ms",
			       what, timeout_ms);
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file_read_line(AT_FDCWD, path, comm, sizeof(comm));
	return err_set(e, CNI_ERR_AGAIN, ETIMEDOUT,
		       "lock %s was held by process %d (%s) for over %u ms", what, pid, comm,
		       timeout_ms);
}

/* Takes over the descriptor. */
static int lock_wait(int file, const char *what, unsigned int timeout_ms, struct err *e)
{
	auto_close int fd = file;
	int r;

	if (fd < 0)
		return err_set(e, CNI_ERR_IO, errno, "open lock %s", what);
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return take_fd(&fd);
	if (errno != EWOULDBLOCK)
		return err_set(e, CNI_ERR_IO, errno, "lock %s", what);
	r = flock_until(fd, clock_ms() + timeout_ms);
	if (!r)
		return take_fd(&fd);
	if (r == -ETIMEDOUT)
		return lock_timed_out(fd, what, timeout_ms, e);
	return err_set(e, CNI_ERR_IO, r, "lock %s", what);
}

int lock_take(int dir, const char *name, unsigned int timeout_ms, struct err *e)
{
	int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

	return lock_wait(openat(dir, name, flags, 0600), name, timeout_ms, e);
}

int lock_take_dir(int dir, const char *path, unsigned int timeout_ms, struct err *e)
{
	return lock_wait(openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), path, timeout_ms,
			 e);
}
