/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern.h"

#include <string.h>

/* splitmix64 (Steele, Lea, Flood, 2014): all bits of the place have their part in each byte */
static uint64_t word_at(uint64_t seed, size_t n)
{
	uint64_t z = (seed << 40) + (n + 1) * 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

void pattern_fill(void *buf, size_t len, uint64_t seed)
{
	uint8_t *to = buf;

	for (size_t at = 0; at < len; at += 8) {
		uint64_t word = word_at(seed, at / 8);

		memcpy(to + at, &word, len - at < 8 ? len - at : 8);
	}
}

ssize_t pattern_find_fault(const void *buf, size_t len, uint64_t seed)
{
	const uint8_t *is = buf;

	for (size_t at = 0; at < len; at += 8) {
		uint64_t word = word_at(seed, at / 8);
		size_t n = len - at < 8 ? len - at : 8;
		uint8_t should[8];

		memcpy(should, &word, 8);
		for (size_t i = 0; i < n; i++)
			if (is[at + i] != should[i])
				return (ssize_t)(at + i);
	}
	return -1;
}
