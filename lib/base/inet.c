/* SPDX-License-Identifier: Apache-2.0 */
#include "base/inet.h"

#include "base/number.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

size_t inet_addr_size(const struct inet_addr *a)
{
	return a->family == AF_INET ? 4 : a->family == AF_INET6 ? 16 : 0;
}

unsigned int inet_addr_bits(const struct inet_addr *a)
{
	return (unsigned int)inet_addr_size(a) * 8;
}

int inet_addr_parse(const char *text, struct inet_addr *ret)
{
	struct inet_addr a = { .family = strchr(text, ':') ? AF_INET6 : AF_INET };

	if (inet_pton(a.family, text, a.bytes) != 1)
		return -EINVAL;
	*ret = a;
	return 0;
}

int inet_net_parse(const char *text, bool bare_ok, struct inet_net *ret)
{
	const char *slash = strchr(text, '/');
	char addr[INET_TEXT];
	struct inet_net n;
	uint64_t len;

	if (!slash && !bare_ok)
		return -EINVAL;
	if (!slash)
		slash = text + strlen(text);
	if ((size_t)(slash - text) >= sizeof(addr))
		return -EINVAL;
	memcpy(addr, text, (size_t)(slash - text));
	addr[slash - text] = '\0';
	if (inet_addr_parse(addr, &n.addr))
		return -EINVAL;
	len = inet_addr_bits(&n.addr);
	if (*slash && number_parse(slash + 1, len, &len))
		return -EINVAL;
	n.len = (uint8_t)len;
	*ret = n;
	return 0;
}

const char *inet_addr_format(const struct inet_addr *a, char buf[INET_TEXT])
{
	if (a->family == AF_UNSPEC || !inet_ntop(a->family, a->bytes, buf, INET_TEXT))
		buf[0] = '\0';
	return buf;
}

const char *inet_net_format(const struct inet_net *n, char buf[INET_TEXT])
{
	size_t end = strlen(inet_addr_format(&n->addr, buf));

	if (end)
		snprintf(buf + end, INET_TEXT - end, "/%u", n->len);
	return buf;
}

bool inet_addr_equal(const struct inet_addr *a, const struct inet_addr *b)
{
	return a->family == b->family && !memcmp(a->bytes, b->bytes, inet_addr_size(a));
}

void inet_net_mask(struct inet_net *n)
{
	for (unsigned int i = 0; i < inet_addr_size(&n->addr); i++) {
		unsigned int keep = n->len > i * 8 ? n->len - i * 8 : 0;

		if (keep < 8)
			n->addr.bytes[i] &= (uint8_t)(0xff00 >> keep);
	}
}

bool inet_net_contains(const struct inet_net *n, const struct inet_addr *a)
{
	struct inet_net x = { .addr = *a, .len = n->len }, y = *n;

	inet_net_mask(&x);
	inet_net_mask(&y);
	return inet_addr_equal(&x.addr, &y.addr);
}

bool inet_addr_is_link_local(const struct inet_addr *a)
{
	return a->family == AF_INET6 && a->bytes[0] == 0xfe && (a->bytes[1] & 0xc0) == 0x80;
}

int hwaddr_parse(const char *text, struct hwaddr *ret)
{
	struct hwaddr a = { 0 };

	for (;;) {
		if (a.len == HWADDR_MAX || !isxdigit((unsigned char)text[0]) ||
		    !isxdigit((unsigned char)text[1]))
			return -EINVAL;
		sscanf(text, "%2hhx", &a.bytes[a.len++]);
		if (!text[2])
			break;
		if (text[2] != ':')
			return -EINVAL;
		text += 3;
	}
	*ret = a;
	return 0;
}

const char *hwaddr_format(const struct hwaddr *a, char buf[HWADDR_TEXT])
{
	buf[0] = '\0';
	for (unsigned int i = 0; i < a->len; i++)
		sprintf(buf + i * 3, i + 1 < a->len ? "%02x:" : "%02x", a->bytes[i]);
	return buf;
}

bool hwaddr_equal(const struct hwaddr *a, const struct hwaddr *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

bool hwaddr_is_zero(const struct hwaddr *a)
{
	for (unsigned int i = 0; i < a->len; i++)
		if (a->bytes[i])
			return false;
	return true;
}

bool hwaddr_is_unicast_mac(const struct hwaddr *a)
{
	return a->len == 6 && !hwaddr_is_zero(a) && !(a->bytes[0] & 1);
}

bool hwaddr_is_ipoib(const struct hwaddr *a)
{
	return a->len == HWADDR_IPOIB;
}

static uint64_t guid_from_bytes(const uint8_t *bytes)
{
	uint64_t guid = 0;

	for (unsigned int i = 0; i < sizeof(guid); i++)
		guid = guid << 8 | bytes[i];
	return guid;
}

uint64_t hwaddr_guid(const struct hwaddr *a)
{
	return hwaddr_is_ipoib(a) ? guid_from_bytes(a->bytes + HWADDR_IPOIB - sizeof(uint64_t)) : 0;
}

int guid_parse(const char *text, uint64_t *ret)
{
	struct hwaddr a;

	if (hwaddr_parse(text, &a) || a.len != sizeof(*ret))
		return -EINVAL;
	*ret = guid_from_bytes(a.bytes);
	return 0;
}

const char *guid_format(uint64_t guid, char buf[GUID_TEXT])
{
	for (unsigned int i = 0; i < sizeof(guid); i++)
		sprintf(buf + i * 3, i + 1 < sizeof(guid) ? "%02x:" : "%02x",
			(unsigned int)(guid >> (56 - 8 * i)) & 0xff);
	return buf;
}
