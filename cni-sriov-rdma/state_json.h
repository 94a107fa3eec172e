/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a VF as JSON: how a record holds it. */
#pragma once

#include "base/err.h"
#include "vf/state.h"

#include <jansson.h>

/** state_to_json() - the fields that a state has; a new reference, NULL when memory is short */
json_t *state_to_json(const struct vf_state *state);

/** state_from_json() - the same back; what does not fit is -EBADMSG, and names the key (code 5) */
int state_from_json(json_t *json, struct vf_state *ret, struct err *e);
