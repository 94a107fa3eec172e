/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interval arithmetic on addresses. Nothing here loops over addresses: a /0 costs what a /31 costs.
 *
 * An address is a 128-bit key, IPv4 as ::ffff:a.b.c.d (RFC 4291, 2.5.5.2), so that both families
 * order, compare and store alike. Such addresses never appear on the wire as IPv6 ones, and an IPv6
 * range leaves that part out (range_usable).
 */
#pragma once

#include "base/inet.h"

#include <stdbool.h>
#include <stddef.h>

typedef unsigned __int128 addr_key;

/** addr_key_from() - the key of an IPv4 or IPv6 address */
addr_key addr_key_from(const struct inet_addr *a);

/** addr_key_to() - the address of a key */
struct inet_addr addr_key_to(addr_key key);

/** addr_key_pack() - as 16 bytes in network order, which memcmp orders like the numbers */
void addr_key_pack(addr_key key, uint8_t ret[16]);
addr_key addr_key_unpack(const uint8_t bytes[16]);

#define ADDR_COUNT_TEXT 40 /* decimal digits of 2^128 and a NUL */

/** addr_count_format() - a count of addresses in decimal; returns @buf */
const char *addr_count_format(addr_key n, char buf[ADDR_COUNT_TEXT]);

/* Addresses from lo to hi, both included. */
struct range {
	addr_key lo, hi;
};

/* Ranges in ascending order that neither overlap nor touch, once range_list_merge() has been there. */
struct range_list {
	struct range *v;
	size_t count;
	size_t room;
};

/** range_of_net() - all addresses of a prefix, host bits ignored */
struct range range_of_net(const struct inet_net *net);

/**
 * range_usable() - the addresses of a subnet that an interface may have
 *
 * IPv4 up to /30: all but network and broadcast address. /31 and /127: both (RFC 3021, RFC 6164). /32
 * and /128: the one. Other IPv6: all but the subnet-router anycast address (RFC 4291, 2.6.1).
 * Up to two ranges, as ::/0 surrounds the IPv4 keys.
 *
 * Return: 0 or -ENOMEM; they are appended to @into.
 */
int range_usable(const struct inet_net *subnet, struct range_list *into);

/** range_is_ipv4() - does it lie in the keys of IPv4? An IPv6 subnet that does (::ffff:…) is none. */
bool range_is_ipv4(const struct range *r);

/**
 * range_parse() - "10.0.0.5", "10.0.0.0/28" or "10.0.0.5-10.0.0.9"
 * Return: 0; -EINVAL when it is none of them; -EDOM for host bits set, mixed families, or start
 * after end, which @ret_why then names.
 */
int range_parse(const char *text, struct range *ret, const char **ret_why);

/**
 * range_block() - the @index-th block of @size addresses, counted from the range's first one
 * Return: 0, or -ERANGE when the range ends before it does.
 */
int range_block(const struct range *whole, addr_key size, addr_key index, struct range *ret);

bool range_contains(const struct range *outer, const struct range *inner);
bool range_overlaps(const struct range *a, const struct range *b);

#define RANGE_TEXT (2 * INET_TEXT)

/** range_format() - "10.0.0.5-10.0.0.9", or the address alone; returns @buf */
const char *range_format(const struct range *r, char buf[RANGE_TEXT]);

/** range_list_add() - append a range, in any order; 0 or -ENOMEM */
int range_list_add(struct range_list *list, struct range r);

/** range_list_merge() - sort, and join what overlaps or touches */
void range_list_merge(struct range_list *list);

/**
 * range_list_subtract() - what @list has and @holes has not, and range_list_intersect(): what both have
 * Both must be merged; O(n + m). Return: 0 or -ENOMEM, then @list is as before.
 */
int range_list_subtract(struct range_list *list, const struct range_list *holes);
int range_list_intersect(struct range_list *list, const struct range_list *other);

/** range_list_has() - binary search in a merged list */
bool range_list_has(const struct range_list *list, addr_key key);

/** range_list_count() - addresses in a merged list; it never holds all 2^128 (see range_usable) */
addr_key range_list_count(const struct range_list *list);

void range_list_done(struct range_list *list);
#define auto_range_list __attribute__((cleanup(range_list_done)))
