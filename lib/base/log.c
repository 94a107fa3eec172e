/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const level_names[] = {
	[LOG_PANIC] = "panic", [LOG_ERROR] = "error", [LOG_WARNING] = "warning",
	[LOG_INFO] = "info",   [LOG_DEBUG] = "debug",
};

static struct {
	const char *tag;
	enum log_level level;
	int fd;
} log_to = { .tag = "", .level = LOG_INFO, .fd = STDERR_FILENO };

int log_level_parse(const char *name)
{
	for (int i = 0; i <= LOG_DEBUG; i++)
		if (!strcmp(name, level_names[i]))
			return i;
	return -EINVAL;
}

void log_open(const char *tag, enum log_level level, const char *file)
{
	int fd;

	log_to.tag = tag;
	log_to.level = level;
	if (log_to.fd != STDERR_FILENO)
		close(log_to.fd);
	log_to.fd = STDERR_FILENO;
	if (!file || !*file)
		return;
	/* O_NONBLOCK: a FIFO put there must not hang a root process; O_NOFOLLOW: nor a link lead away */
	fd = open(file,
		  O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW,
		  0600);
	if (fd < 0) {
		log_warning("log file %s: %s; logging to stderr", file, strerror(errno));
		return;
	}
	log_to.fd = fd;
}

void log_write(enum log_level level, const char *fmt, ...)
{
	char line[2048];
	struct timespec now;
	struct tm tm;
	size_t n = 0;
	va_list ap;

	if (level > log_to.level)
		return;
	if (log_to.fd != STDERR_FILENO) {
		clock_gettime(CLOCK_REALTIME, &now);
		gmtime_r(&now.tv_sec, &tm);
		n = strftime(line, sizeof(line), "%FT%TZ ", &tm);
	}
	n += (size_t)snprintf(line + n, sizeof(line) - n, "%s: %s: ", log_to.tag,
			      level_names[level]);
	va_start(ap, fmt);
	n += (size_t)vsnprintf(line + n, sizeof(line) - n, fmt, ap);
	va_end(ap);
	if (n > sizeof(line) - 2)
		n = sizeof(line) - 2;
	for (size_t i = 0; i < n; i++) /* hostile text must not forge a line */
		if ((unsigned char)line[i] < ' ')
			line[i] = ' ';
	line[n++] = '\n';
	/* one write a line, so that lines of concurrent plugins do not mix; nobody to tell if it fails */
	if (write(log_to.fd, line, n) < 0)
		return;
}
