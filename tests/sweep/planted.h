/* SPDX-License-Identifier: Apache-2.0 */
/* Mistakes that are planted, to see that the comparison catches each. */
#pragma once

#include "case.h"

/** planted_run() - plant one after the other; how many were not caught */
unsigned int planted_run(struct sweep *s);
