/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of hosts and protocols are never looked up here, but libnl can, and a static program would get all of the C
 * library's resolver for it: half a megabyte that wants the shared libraries of the very same glibc at run time. These
 * stand in its place.
 */
#include <netdb.h>
#include <stddef.h>

/* The C library's own names of parameters are reserved. NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		struct addrinfo **ret)
{
	(void)node;
	(void)service;
	(void)hints;
	(void)ret;
	return EAI_FAIL;
}

void freeaddrinfo(struct addrinfo *list)
{
	(void)list;
}

struct protoent *getprotobyname(const char *name)
{
	(void)name;
	return NULL;
}

struct protoent *getprotobynumber(int number)
{
	(void)number;
	return NULL;
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
