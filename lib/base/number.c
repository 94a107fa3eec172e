/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"

#include <errno.h>

int number_parse(const char *text, uint64_t max, uint64_t *ret)
{
	uint64_t n = 0;

	if (!*text || (text[0] == '0' && text[1]))
		return -EINVAL;
	for (; *text; text++) {
		unsigned int digit = (unsigned int)(*text - '0');

		if (digit > 9)
			return -EINVAL;
		if (n > (UINT64_MAX - digit) / 10)
			return -ERANGE;
		n = n * 10 + digit;
	}
	if (n > max)
		return -ERANGE;
	*ret = n;
	return 0;
}
