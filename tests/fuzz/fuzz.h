/* SPDX-License-Identifier: Apache-2.0 */
/* What the harnesses share. One that finds its library at fault calls abort(), through fuzz_must(). */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Called by libFuzzer, or by driver.c, for each input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* fuzz_must() - what has to hold for every input */
#define fuzz_must(what)                                                                    \
	do {                                                                               \
		if (!(what)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
			abort();                                                           \
		}                                                                          \
	} while (0)

/* fuzz_text() - the input as a string, which ends at its first NUL; the caller frees it */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	fuzz_must(text);
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}
