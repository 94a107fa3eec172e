/* SPDX-License-Identifier: Apache-2.0 */
/* Locks between processes: flock, which the kernel frees when its holder ends, however it ends. */
#pragma once

#include "base/err.h"

/**
 * lock_take() - take an exclusive lock on a lock file, waiting for it within a bound
 * @dir: directory of the lock file
 * @name: its name; created 0600, and never removed, since removing a locked file makes two locks
 * @timeout_ms: how long to wait
 *
 * Return: a descriptor that holds the lock until it is closed. -ETIMEDOUT with code 11 and a message
 * that says which process holds it; any other failure with code 5.
 */
int lock_take(int dir, const char *name, unsigned int timeout_ms, struct err *e);

/**
 * lock_take_dir() - the same on a directory that is there anyway
 * @path: relative to @dir; its lock lives as long as the directory does, and leaves no file behind
 */
int lock_take_dir(int dir, const char *path, unsigned int timeout_ms, struct err *e);
