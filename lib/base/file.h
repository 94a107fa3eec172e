/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small files and directories of state. Functions here return a negative errno without filling a
 * struct err: the caller knows what the file is for, and says so.
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * file_read() - read a whole small file
 * @dir: directory that @path is relative to, or AT_FDCWD
 * @path: a regular file (or a sysfs or procfs one); the last component is not followed if a link
 * @limit: largest size that is accepted, in bytes
 * @ret: the content, NUL-terminated; the caller frees it
 * @ret_len: its length without the NUL; may be NULL
 *
 * Return: 0, -EFBIG above @limit, -EISDIR, -EINVAL for another kind of file, or what open and read give.
 */
int file_read(int dir, const char *path, size_t limit, char **ret, size_t *ret_len);

/*
 * What an error of these functions is about. Any other, such as -EMFILE, is this process's or the machine's, and says nothing
 * about the file: whoever takes it for an answer loses what the file holds.
 */

/** file_is_gone() - is there no such file, or not any more what an attribute of sysfs tells of? */
bool file_is_gone(int r);

/** file_is_unfit() - is it of a kind or size that is not read? */
bool file_is_unfit(int r);

/**
 * dir_next() - the next entry of a directory
 * @ret: valid until the next call; NULL at the end
 *
 * Return: 0, or an error, after which what was seen was not all, which a bare readdir(3) does not tell from the end.
 */
int dir_next(DIR *dir, const struct dirent **ret);

/**
 * file_read_line() - read a file's first line into a buffer, without its newline
 * Return: its length, -EOVERFLOW when it does not fit, or what open and read give.
 */
ssize_t file_read_line(int dir, const char *path, char *buf, size_t size);

/**
 * file_write_atomic() - replace a file as a whole, mode 0600 unless @mode says otherwise
 * @dir: the directory
 * @name: the file's name in it; NAME.tmp is used to replace a file, so its writers need a lock
 *
 * A reader, or a crash at any instruction, finds the old content or the new one; a new file is there as a whole or
 * not at all, and leaves nothing else behind. (On a file system without O_TMPFILE a NAME.tmp may be left.)
 */
int file_write_atomic(int dir, const char *name, const void *data, size_t len, mode_t mode);

/**
 * dir_open() - open a directory by path, for use as the first argument of the functions here
 * @path: absolute
 * @make: create what is missing of it, 0700
 *
 * Return: a descriptor that the caller closes, or a negative errno.
 */
int dir_open(const char *path, bool make);

/** dir_open_mode() - the same, with another mode for what is created */
int dir_open_mode(const char *path, bool make, mode_t mode);

/** dir_open_at() - the same for one component below an open directory; a link is refused (-ENOTDIR) */
int dir_open_at(int dir, const char *name, bool make);
