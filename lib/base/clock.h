/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded waits: for what the kernel does asynchronously, and for locks. */
#pragma once

#include <stdint.h>

/** clock_ms() - milliseconds of CLOCK_MONOTONIC, which no clock adjustment moves */
uint64_t clock_ms(void);

/** clock_pause() - the pause between two looks of a bounded poll, in milliseconds */
void clock_pause(unsigned int ms);
