/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses and routes of an IPAM result on the interface in the pod. */
#pragma once

#include "cni/result.h"
#include "kernel/route.h"
#include "vf/site.h"

/**
 * addressing_apply() - put addresses and routes on the interface, which is up
 * @ifname: its name in the pod
 * @routes: whether there shall be routes, too, those to the addresses' nets included; if not, source_routing_apply()
 *          makes them
 *
 * Errors: code 100, naming the address or route.
 */
int addressing_apply(struct vf_site *site, int ifindex, const char *ifname,
		     const struct cni_result *result, bool routes, struct err *e);

/**
 * addressing_route() - a route of a result as the kernel is to have it
 *
 * One without a gateway goes through that of the first address of its family, as in the reference plugins
 * (containernetworking/plugins, pkg/ipam), unless its scope says that it is on the link.
 */
struct route addressing_route(int ifindex, const struct cni_route *r,
			      const struct cni_result *result);

/** addressing_add_route() - add a route; code 100, naming it */
int addressing_add_route(struct vf_site *site, const struct route *route, struct err *e);

/** addressing_clear() - take all addresses but link-local ones away, and with them the routes through them; code 100 */
int addressing_clear(struct vf_site *site, int ifindex, struct err *e);

/**
 * addressing_check() - are the addresses and routes still there?
 * @own: what ADD returned
 * @prev: what the runtime says the result of the whole chain was: a route that it no longer has was taken away
 *        by a later plugin or by Multus, and is not missed
 *
 * Errors: code 101, naming the address or route.
 */
int addressing_check(struct vf_site *site, int ifindex, const struct cni_result *own,
		     const struct cni_result *prev, struct err *e);

/** addressing_announce() - tell the neighbours, best effort; there is a carrier */
void addressing_announce(struct vf_site *site, int ifindex, const struct hwaddr *mac,
			 const struct cni_result *result);
