/* SPDX-License-Identifier: Apache-2.0 */
/* Text that arrives from a descriptor, bounded: a configuration, or what a delegate prints. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#define INPUT_MAX ((size_t)4 << 20)

struct input {
	char *data; /* not NUL-terminated; NULL while nothing has been read */
	size_t len;
	size_t size; /* allocated */
};

/**
 * input_read() - read once, making room as needed
 * Return: bytes read, 0 at the end, -EFBIG above INPUT_MAX, -ENOMEM, or what read gives.
 */
ssize_t input_read(struct input *in, int fd);

/** input_read_all() - read to the end; 0 or what input_read() gives */
int input_read_all(struct input *in, int fd);

void input_done(struct input *in);
#define auto_input __attribute__((cleanup(input_done)))
