/* SPDX-License-Identifier: Apache-2.0 */
#include "cni/input.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define INPUT_FIRST ((size_t)8 << 10) /* configurations and results fit in it, as a rule */

static int make_room(struct input *in)
{
	size_t size = in->size ? in->size * 2 : INPUT_FIRST;
	char *data;

	if (in->len < in->size)
		return 0;
	data = realloc(in->data, size);
	if (!data)
		return -ENOMEM;
	in->data = data;
	in->size = size;
	return 0;
}

ssize_t input_read(struct input *in, int fd)
{
	int r = make_room(in);
	ssize_t n;

	if (r)
		return r;
	do {
		n = read(fd, in->data + in->len, in->size - in->len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	in->len += (size_t)n;
	return in->len > INPUT_MAX ? -EFBIG : n;
}

int input_read_all(struct input *in, int fd)
{
	ssize_t n;

	do {
		n = input_read(in, fd);
	} while (n > 0);
	return (int)n;
}

void input_done(struct input *in)
{
	free(in->data);
}
