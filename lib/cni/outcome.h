/* SPDX-License-Identifier: Apache-2.0 */
/* What the end and the output of a delegate mean; apart from running it, so that it can be fuzzed. */
#pragma once

#include "base/err.h"
#include "cni/env.h"
#include "cni/input.h"

#include <jansson.h>

/**
 * outcome_judge() - result, or error
 * @verb: ADD and VERSION must have an output, and one JSON object; that of others is not looked at
 * @type: the delegate's name
 * @status: as waitpid gave it
 * @printed: its stdout
 * @ret_result, errors: as cni_delegate() has them
 */
int outcome_judge(enum cni_verb verb, const char *type, int status, const struct input *printed,
		  json_t **ret_result, struct err *e);
