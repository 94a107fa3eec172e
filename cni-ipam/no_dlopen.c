/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlite can load extensions, and ld warns, rightly, that a static program must not load shared objects.
 * Nothing here loads any, so sqlite is linked (with --wrap, in static builds) to a dlopen that fails.
 */
#include <stddef.h>

void *__wrap_dlopen(const char *file, int mode);

void *__wrap_dlopen(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}
