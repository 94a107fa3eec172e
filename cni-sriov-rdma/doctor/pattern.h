/* SPDX-License-Identifier: Apache-2.0 */
/* Data whose every byte depends on its place, so that what arrives elsewhere, or twice, or not at all, is noticed. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** pattern_fill() - write the pattern of a seed */
void pattern_fill(void *buf, size_t len, uint64_t seed);

/** pattern_find_fault() - the offset of the first byte that is not the pattern's, -1 when there is none */
ssize_t pattern_find_fault(const void *buf, size_t len, uint64_t seed);
