/* SPDX-License-Identifier: Apache-2.0 */
/* The result of ADD, in the shapes of all versions (specification 1.1.0, section 5 "Success"). */
#pragma once

#include "base/err.h"
#include "base/inet.h"
#include "cni/version.h"

#include <jansson.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

struct cni_interface {
	char name[IFNAMSIZ];
	char mac[HWADDR_TEXT];
	uint32_t mtu; /* 0 = not told */
	char *sandbox; /* NULL = on the host */
	char *socket_path; /* NULL = none */
	char pci_id[32]; /* "" = none */
};

struct cni_ip {
	struct inet_net address;
	struct inet_addr gateway; /* AF_UNSPEC = none */
	int interface; /* index into interfaces, -1 = not told */
};

/* Optional numbers of a route: 0 is a value of its own for table and scope, so each says if it is set. */
struct cni_opt {
	bool set;
	uint32_t value;
};

struct cni_route {
	struct inet_net dst;
	struct inet_addr gw; /* AF_UNSPEC = none given */
	struct cni_opt mtu, advmss, priority, table, scope; /* 1.1.0 */
};

struct cni_result {
	struct cni_interface *interfaces;
	size_t interface_count;
	struct cni_ip *ips;
	size_t ip_count;
	struct cni_route *routes;
	size_t route_count;
	json_t *dns; /* object, or NULL */
};

/**
 * cni_result_parse() - read a result of any supported version
 * @json: its cniVersion says which; without one it is @fallback (an IPAM plugin may leave it out)
 *
 * ips[].interface is -1 or below interface_count afterwards.
 * Errors: code 6 with field and value, 1 for its version. cni_result_done() frees it.
 */
int cni_result_parse(json_t *json, enum cni_version fallback, struct cni_result *ret,
		     struct err *e);

/**
 * cni_result_build() - write a result in the shape of a version
 * @ipam: leave out interfaces and ips[].interface, as an IPAM plugin must
 * @ret: a new reference
 * Errors: code 1 when the version cannot express it (0.2.0 and lower with no address, or two of a family).
 */
int cni_result_build(const struct cni_result *result, enum cni_version version, bool ipam,
		     json_t **ret, struct err *e);

/* Append an element, zeroed but for interface = -1; NULL when memory is short. */
struct cni_interface *cni_result_add_interface(struct cni_result *result);
struct cni_ip *cni_result_add_ip(struct cni_result *result);
struct cni_route *cni_result_add_route(struct cni_result *result);

/**
 * cni_result_join() - what a plugin has made, behind what those before it in the chain have (prevResult)
 *
 * The addresses of @own keep their interfaces, whose indexes are others now. Its DNS counts, if it has some.
 * Errors: code 5, out of memory; @chain is incomplete then.
 */
int cni_result_join(struct cni_result *chain, const struct cni_result *own, struct err *e);

void cni_result_done(struct cni_result *result);
#define auto_cni_result __attribute__((cleanup(cni_result_done)))

/**
 * cni_routes_parse() - routes as configurations and results have them: dst, gw, and 1.1.0's mtu,
 * advmss, priority, table, scope. Shared with configurations (an IPAM's "routes").
 * @where: prefix of field names in messages, e.g. "ipam.routes"
 * @code: CNI_ERR_CONFIG or CNI_ERR_DECODE, whichever fits the document
 */
int cni_routes_parse(json_t *array, const char *where, int code, struct cni_result *into,
		     struct err *e);
