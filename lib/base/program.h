/* SPDX-License-Identifier: Apache-2.0 */
/* Running a program for what it prints. No shell has a part in it. */
#pragma once

#include <stddef.h>

/**
 * program_find_beside() - a program in the directory that this one is in
 * @ret: its path, room for PATH_MAX
 * Return: 0; -ENOENT when there is no regular, executable file of that name.
 */
int program_find_beside(const char *name, char *ret);

/**
 * program_run() - run a program, and read its standard output, within a bound
 * @file: its path; its standard input is empty, and its standard error is ours
 * @argv: ends with NULL
 * @limit: most bytes of output that are accepted
 * @ret_output: what it printed, NUL-terminated; the caller frees it
 * @ret_status: as waitpid gives it
 *
 * Return: 0 when it has ended, whatever its status; -ETIMEDOUT when it had not, and was killed; -EFBIG, after which it
 * is killed, too; or what starting it gave. No struct err is filled: the caller knows what it is for.
 */
int program_run(const char *file, char *const argv[], unsigned int timeout_ms, size_t limit,
		char **ret_output, int *ret_status);
