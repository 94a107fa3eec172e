/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses as values: text to bytes and back. No network is touched here. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define INET_TEXT 52 /* room for the longest text here: an IPv6 address with "/128", and a NUL */

/* An IPv4 or IPv6 address. */
struct inet_addr {
	int family; /* AF_INET, AF_INET6, or AF_UNSPEC for none */
	uint8_t bytes[16]; /* network byte order; the first 4 for AF_INET, the rest zero */
};

/* An address with its prefix length; host bits may be set (an interface's) or not (a route's). */
struct inet_net {
	struct inet_addr addr;
	uint8_t len; /* 0 to 32, or to 128 */
};

/**
 * inet_addr_parse() - "10.0.0.1" or "fd00::1"; no brackets, zones or leading zeros
 * Return: 0 or -EINVAL, then @ret is untouched.
 */
int inet_addr_parse(const char *text, struct inet_addr *ret);

/** inet_net_parse() - "10.0.0.1/24"; the prefix length is required unless @bare_ok, then /32, /128 */
int inet_net_parse(const char *text, bool bare_ok, struct inet_net *ret);

/** inet_addr_format() - text of an address, "" for AF_UNSPEC; returns @buf */
const char *inet_addr_format(const struct inet_addr *a, char buf[INET_TEXT]);

/** inet_net_format() - text with "/LEN"; returns @buf */
const char *inet_net_format(const struct inet_net *n, char buf[INET_TEXT]);

bool inet_addr_equal(const struct inet_addr *a, const struct inet_addr *b);

/** inet_net_contains() - does @a lie in @n? Addresses of the other family do not. */
bool inet_net_contains(const struct inet_net *n, const struct inet_addr *a);

/** inet_net_mask() - clear the host bits */
void inet_net_mask(struct inet_net *n);

/** inet_addr_size() - bytes in use: 4, 16, or 0 */
size_t inet_addr_size(const struct inet_addr *a);

/** inet_addr_bits() - 32, 128, or 0 */
unsigned int inet_addr_bits(const struct inet_addr *a);

/* A hardware address: 6 bytes on Ethernet, 20 on IPoIB (RFC 4391), up to MAX_ADDR_LEN of the kernel. */
#define HWADDR_MAX  32
#define HWADDR_TEXT (HWADDR_MAX * 3)

/** inet_addr_is_link_local() - an IPv6 address of fe80::/10 (RFC 4291, 2.5.6), such as the kernel gives a link itself */
bool inet_addr_is_link_local(const struct inet_addr *a);

struct hwaddr {
	uint8_t len; /* 0 = none */
	uint8_t bytes[HWADDR_MAX];
};

/** hwaddr_parse() - "02:00:00:00:00:01", any number of bytes up to HWADDR_MAX; 0 or -EINVAL */
int hwaddr_parse(const char *text, struct hwaddr *ret);

/** hwaddr_format() - lower-case text with colons, "" for none; returns @buf */
const char *hwaddr_format(const struct hwaddr *a, char buf[HWADDR_TEXT]);

bool hwaddr_equal(const struct hwaddr *a, const struct hwaddr *b);
bool hwaddr_is_zero(const struct hwaddr *a);

#define HWADDR_IPOIB \
	20 /* queue pair number, and a GID, whose last 8 bytes are the port's GUID (RFC 4391, 9.1.1) */

/** hwaddr_is_ipoib() - is it of an InfiniBand interface? */
bool hwaddr_is_ipoib(const struct hwaddr *a);

/** hwaddr_guid() - the GUID in an IPoIB address; 0 in any other */
uint64_t hwaddr_guid(const struct hwaddr *a);

#define GUID_TEXT 24

/** guid_parse() - "02:00:00:00:00:00:00:01", the first pair being the highest; 0 or -EINVAL */
int guid_parse(const char *text, uint64_t *ret);

/** guid_format() - the same back; returns @buf */
const char *guid_format(uint64_t guid, char buf[GUID_TEXT]);

/** hwaddr_is_unicast_mac() - 6 bytes, not zero, the group bit clear (IEEE 802, 8.2) */
bool hwaddr_is_unicast_mac(const struct hwaddr *a);
