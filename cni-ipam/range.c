/* SPDX-License-Identifier: Apache-2.0 */
#include "range.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAPPED ((addr_key)0xffff << 32) /* ::ffff:0:0/96 */

static const struct range ipv4_keys = { MAPPED, MAPPED | 0xffffffff };

void addr_key_pack(addr_key key, uint8_t ret[16])
{
	for (int i = 15; i >= 0; i--, key >>= 8)
		ret[i] = (uint8_t)key;
}

addr_key addr_key_unpack(const uint8_t bytes[16])
{
	addr_key key = 0;

	for (int i = 0; i < 16; i++)
		key = key << 8 | bytes[i];
	return key;
}

addr_key addr_key_from(const struct inet_addr *a)
{
	if (a->family == AF_INET6)
		return addr_key_unpack(a->bytes);
	return MAPPED | (addr_key)a->bytes[0] << 24 | (addr_key)a->bytes[1] << 16 |
	       (addr_key)a->bytes[2] << 8 | a->bytes[3];
}

struct inet_addr addr_key_to(addr_key key)
{
	struct inet_addr a = { .family = AF_INET6 };
	uint8_t bytes[16];

	addr_key_pack(key, bytes);
	if (key >= ipv4_keys.lo && key <= ipv4_keys.hi) {
		a.family = AF_INET;
		memcpy(a.bytes, bytes + 12, 4);
	} else {
		memcpy(a.bytes, bytes, 16);
	}
	return a;
}

const char *addr_count_format(addr_key n, char buf[ADDR_COUNT_TEXT])
{
	char *p = buf + ADDR_COUNT_TEXT - 1;

	*p = '\0';
	do {
		*--p = (char)('0' + (int)(n % 10));
		n /= 10;
	} while (n);
	return memmove(buf, p, (size_t)(buf + ADDR_COUNT_TEXT - p));
}

struct range range_of_net(const struct inet_net *net)
{
	struct inet_net n = *net;
	unsigned int host_bits = inet_addr_bits(&n.addr) - n.len;
	addr_key lo;

	inet_net_mask(&n);
	lo = addr_key_from(&n.addr);
	if (host_bits == 128)
		return (struct range){ 0, ~(addr_key)0 };
	return (struct range){ lo, lo | (((addr_key)1 << host_bits) - 1) };
}

int range_usable(const struct inet_net *subnet, struct range_list *into)
{
	struct range r = range_of_net(subnet);
	bool ipv4 = subnet->addr.family == AF_INET;
	unsigned int host_bits = inet_addr_bits(&subnet->addr) - subnet->len;
	int err;

	if (host_bits > 1) {
		r.lo++;
		if (ipv4)
			r.hi--;
	}
	if (ipv4 || !range_contains(&r, &ipv4_keys))
		return range_list_add(into, r);
	err = range_list_add(into, (struct range){ r.lo, ipv4_keys.lo - 1 });
	if (err || r.hi == ipv4_keys.hi)
		return err;
	return range_list_add(into, (struct range){ ipv4_keys.hi + 1, r.hi });
}

bool range_is_ipv4(const struct range *r)
{
	return range_contains(&ipv4_keys, r);
}

static int parse_ends(const char *text, const char *dash, struct range *ret, const char **ret_why)
{
	struct inet_addr lo, hi;
	char start[INET_TEXT];

	if ((size_t)(dash - text) >= sizeof(start))
		return -EINVAL;
	memcpy(start, text, (size_t)(dash - text));
	start[dash - text] = '\0';
	if (inet_addr_parse(start, &lo) || inet_addr_parse(dash + 1, &hi))
		return -EINVAL;
	if (lo.family != hi.family) {
		*ret_why = "its ends are of different families";
		return -EDOM;
	}
	if (addr_key_from(&lo) > addr_key_from(&hi)) {
		*ret_why = "it starts after its end";
		return -EDOM;
	}
	*ret = (struct range){ addr_key_from(&lo), addr_key_from(&hi) };
	return 0;
}

int range_parse(const char *text, struct range *ret, const char **ret_why)
{
	const char *dash = strchr(text, '-');
	struct inet_net net, masked;

	if (dash)
		return parse_ends(text, dash, ret, ret_why);
	if (inet_net_parse(text, true, &net))
		return -EINVAL;
	masked = net;
	inet_net_mask(&masked);
	if (!inet_addr_equal(&masked.addr, &net.addr)) {
		*ret_why = "it has host bits set";
		return -EDOM;
	}
	*ret = range_of_net(&net);
	return 0;
}

int range_block(const struct range *whole, addr_key size, addr_key index, struct range *ret)
{
	addr_key last =
		whole->hi - whole->lo; /* offset of the last address, as a size may overflow */

	if (!size || index > last / size || size - 1 > last - index * size)
		return -ERANGE;
	ret->lo = whole->lo + index * size;
	ret->hi = ret->lo + (size - 1);
	return 0;
}

bool range_contains(const struct range *outer, const struct range *inner)
{
	return outer->lo <= inner->lo && inner->hi <= outer->hi;
}

bool range_overlaps(const struct range *a, const struct range *b)
{
	return a->lo <= b->hi && b->lo <= a->hi;
}

const char *range_format(const struct range *r, char buf[RANGE_TEXT])
{
	struct inet_addr lo = addr_key_to(r->lo), hi = addr_key_to(r->hi);
	char text[INET_TEXT];

	inet_addr_format(&lo, buf);
	if (r->lo != r->hi)
		snprintf(buf + strlen(buf), INET_TEXT, "-%s", inet_addr_format(&hi, text));
	return buf;
}

int range_list_add(struct range_list *list, struct range r)
{
	if (list->count == list->room) {
		size_t room = list->room ? list->room * 2 : 4;
		struct range *v = reallocarray(list->v, room, sizeof(*v));

		if (!v)
			return -ENOMEM;
		list->v = v;
		list->room = room;
	}
	list->v[list->count++] = r;
	return 0;
}

static int by_lo(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

void range_list_merge(struct range_list *list)
{
	size_t n = 0;

	if (list->count)
		qsort(list->v, list->count, sizeof(*list->v), by_lo);
	for (size_t i = 0; i < list->count; i++) {
		struct range r = list->v[i], *last = n ? &list->v[n - 1] : NULL;

		/* at 2^128 - 1 nothing can follow, and + 1 would wrap */
		if (last && (last->hi == ~(addr_key)0 || r.lo <= last->hi + 1)) {
			if (r.hi > last->hi)
				last->hi = r.hi;
		} else {
			list->v[n++] = r;
		}
	}
	list->count = n;
}

/* Append what is left of one range when the holes from *at on are cut out of it. */
static int cut(struct range_list *out, struct range r, const struct range_list *holes, size_t *at)
{
	while (*at < holes->count && holes->v[*at].hi < r.lo)
		++*at;
	for (size_t i = *at; i < holes->count && holes->v[i].lo <= r.hi; i++) {
		struct range hole = holes->v[i];

		if (hole.lo > r.lo && range_list_add(out, (struct range){ r.lo, hole.lo - 1 }))
			return -ENOMEM;
		if (hole.hi >= r.hi)
			return 0;
		r.lo = hole.hi + 1;
		*at = i;
	}
	return range_list_add(out, r);
}

static void replace(struct range_list *list, struct range_list *with)
{
	range_list_done(list);
	*list = *with;
	*with = (struct range_list){ 0 };
}

int range_list_subtract(struct range_list *list, const struct range_list *holes)
{
	auto_range_list struct range_list out = { 0 };
	size_t at = 0;

	for (size_t i = 0; i < list->count; i++)
		if (cut(&out, list->v[i], holes, &at))
			return -ENOMEM;
	replace(list, &out);
	return 0;
}

int range_list_intersect(struct range_list *list, const struct range_list *other)
{
	auto_range_list struct range_list out = { 0 };
	size_t i = 0, k = 0;

	while (i < list->count && k < other->count) {
		const struct range *a = &list->v[i], *b = &other->v[k];
		struct range both = { a->lo > b->lo ? a->lo : b->lo,
				      a->hi < b->hi ? a->hi : b->hi };

		if (both.lo <= both.hi && range_list_add(&out, both))
			return -ENOMEM;
		if (a->hi < b->hi)
			i++;
		else
			k++;
	}
	replace(list, &out);
	return 0;
}

bool range_list_has(const struct range_list *list, addr_key key)
{
	size_t lo = 0, hi = list->count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (key > list->v[mid].hi)
			lo = mid + 1;
		else if (key < list->v[mid].lo)
			hi = mid;
		else
			return true;
	}
	return false;
}

addr_key range_list_count(const struct range_list *list)
{
	addr_key n = 0;

	for (size_t i = 0; i < list->count; i++)
		n += list->v[i].hi - list->v[i].lo + 1;
	return n;
}

void range_list_done(struct range_list *list)
{
	free(list->v);
	*list = (struct range_list){ 0 };
}
