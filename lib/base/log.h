/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log: stderr, or a file; never stdout, which carries the CNI result.
 * It is the only global mutable state of a program.
 */
#pragma once

enum log_level { LOG_PANIC, LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

/**
 * log_level_parse() - "panic", "error", "warning", "info" or "debug", as sriov-cni names them
 * Return: the level, or -EINVAL.
 */
int log_level_parse(const char *name);

/**
 * log_open() - set the level and where the log goes
 * @tag: what each line names as its source, e.g. the program's name; not copied
 * @level: lines above it are dropped
 * @file: appended to, created 0600; NULL or "" = stderr. One that can't be opened means stderr, and
 *        a warning there: a log must not fail an attach.
 */
void log_open(const char *tag, enum log_level level, const char *file);

void log_write(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...)	 log_write(LOG_ERROR, __VA_ARGS__)
#define log_warning(...) log_write(LOG_WARNING, __VA_ARGS__)
#define log_info(...)	 log_write(LOG_INFO, __VA_ARGS__)
#define log_debug(...)	 log_write(LOG_DEBUG, __VA_ARGS__)
