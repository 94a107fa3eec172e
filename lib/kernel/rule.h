/* SPDX-License-Identifier: Apache-2.0 */
/* Routing policy by rtnetlink: which packets look up which table. */
#pragma once

#include "base/inet.h"
#include "kernel/netlink.h"

#include <stdbool.h>
#include <stdint.h>

/* "from ADDRESS lookup TABLE" */
struct rule {
	struct inet_net from; /* AF_UNSPEC when listed: from all */
	uint32_t table;
	uint32_t priority;
	uint8_t protocol; /* who made it: rtnetlink(7), RTPROT_* */
};

/** rule_add() - add a rule; one that is there already, the same, is no error */
int rule_add(struct netlink *nl, const struct rule *rule);

/** rule_del() - remove a rule; one that is not there is no error */
int rule_del(struct netlink *nl, const struct rule *rule);

/**
 * rule_list() - the rules of a namespace
 * @family: AF_INET or AF_INET6
 * @ret: an array that the caller frees
 */
int rule_list(struct netlink *nl, int family, struct rule **ret, size_t *ret_count);
