/* SPDX-License-Identifier: Apache-2.0 */
/* Strict numbers: decimal digits and nothing else. */
#pragma once

#include <stdint.h>

/**
 * number_parse() - parse decimal text: digits only, no sign, space, prefix or leading zeros
 * @max: largest value that is accepted
 * Return: 0, -EINVAL, or -ERANGE; @ret is untouched on failure.
 */
int number_parse(const char *text, uint64_t max, uint64_t *ret);
