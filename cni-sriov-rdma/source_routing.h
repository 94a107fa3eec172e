/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routes by source address: what is sent from an attachment's address leaves by its interface ("sourceRouting").
 *
 * Theory of operation. An attachment has a routing table of its own in the pod, and a rule "from ADDRESS lookup TABLE"
 * for each of its addresses. The table has all routes of the interface: to the nets of its addresses, those of the IPAM
 * plugin, and a default route through the gateway. The main table, which serves what is sent from no particular address,
 * has them as well, but for default routes, and for those whose destination another interface has there already: two
 * routes to one net would let an interface answer for another.
 *
 * A table's number is 1000 + the interface's index in the pod, or the next one that neither a rule nor a route there
 * uses: two attachments cannot have the same, and chained sbr plugins, which count from 100, do not meet it.
 *
 * The kernel drops routes together with their interface, but rules stay: they are in the record before they are made.
 */
#pragma once

#include "cni/result.h"
#include "record.h"
#include "vf/site.h"

/**
 * source_routing_apply() - make table and rules; the interface is up and has the result's addresses
 * @record: the table and the rules are noted in it, and it is written, before they are made
 *
 * A rule of one of the addresses that another interface left behind, its table empty, is removed.
 *
 * Errors: code 100, naming route or rule.
 */
int source_routing_apply(struct vf_site *site, int store, int ifindex,
			 const struct cni_result *result, struct record *record, struct err *e);

/** source_routing_is_noted() - has an attachment its routes in a table of its own? */
bool source_routing_is_noted(const struct record *record);

/** source_routing_check() - are the rules and the table's routes there? Code 101 */
int source_routing_check(struct vf_site *site, int ifindex, const struct cni_result *result,
			 const struct record *record, struct err *e);

/** source_routing_undo() - remove the rules, if the namespace lives */
int source_routing_undo(struct vf_site *site, const struct record *record, struct err *e);
