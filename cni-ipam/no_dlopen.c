/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlite can load extensions, and would bring the dynamic linker into a static program for it (and a
 * warning of ld, rightly: a static program must not load shared objects). Nothing here loads any, so
 * the calls fail. For static builds only: elsewhere, others need the real ones.
 */
#include <dlfcn.h>
#include <stddef.h>

void *dlopen(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}

void *dlsym(void *handle, const char *name)
{
	(void)handle;
	(void)name;
	return NULL;
}

int dlclose(void *handle)
{
	(void)handle;
	return -1;
}

char *dlerror(void)
{
	return NULL;
}
