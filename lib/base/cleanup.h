/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that clean up after themselves when they leave their scope, and how to keep one. */
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_fclose(FILE **f)
{
	if (*f)
		fclose(*f);
}

static inline void cleanup_closedir(DIR **d)
{
	if (*d)
		closedir(*d);
}

#define auto_free     __attribute__((cleanup(cleanup_free)))
#define auto_close    __attribute__((cleanup(cleanup_close)))
#define auto_fclose   __attribute__((cleanup(cleanup_fclose)))
#define auto_closedir __attribute__((cleanup(cleanup_closedir)))

/* take_fd() - the descriptor, which its variable no longer owns */
static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

/* take_ptr() - the pointer, which its variable no longer owns */
#define take_ptr(p)                         \
	({                                  \
		__typeof__(p) taken_ = (p); \
		(p) = NULL;                 \
		taken_;                     \
	})

#define array_size(a) (sizeof(a) / sizeof((a)[0]))
