/* SPDX-License-Identifier: Apache-2.0 */
/* Which boot of this machine is it? Kernel state that a file describes dies with its boot. */
#pragma once

#include "base/err.h"

#define BOOT_ID_SIZE 37 /* a UUID in text and its NUL */

/** boot_id() - the kernel's random id of this boot (drivers/char/random.c), a UUID in text */
int boot_id(char ret[BOOT_ID_SIZE], struct err *e);
