/* SPDX-License-Identifier: Apache-2.0 */
/* Chains: prevResult, and behind it what this plugin has made (specification 1.1.0, section 5 "ADD Success"). */
#include "cni/result.h"

#include <errno.h>
#include <string.h>

static int join_interfaces(struct cni_result *chain, const struct cni_result *own)
{
	for (size_t i = 0; i < own->interface_count; i++) {
		struct cni_interface *to = cni_result_add_interface(chain);
		const struct cni_interface *from = &own->interfaces[i];

		if (!to)
			return -ENOMEM;
		*to = *from;
		to->sandbox = from->sandbox ? strdup(from->sandbox) : NULL;
		to->socket_path = from->socket_path ? strdup(from->socket_path) : NULL;
		if (!to->sandbox != !from->sandbox || !to->socket_path != !from->socket_path)
			return -ENOMEM;
	}
	return 0;
}

int cni_result_join(struct cni_result *chain, const struct cni_result *own, struct err *e)
{
	int first = (int)chain->interface_count;
	int r = join_interfaces(chain, own);

	for (size_t i = 0; !r && i < own->ip_count; i++) {
		struct cni_ip *ip = cni_result_add_ip(chain);

		if (!ip)
			r = -ENOMEM;
		else
			*ip = own->ips[i];
		if (ip && ip->interface >= 0)
			ip->interface += first;
	}
	for (size_t i = 0; !r && i < own->route_count; i++) {
		struct cni_route *route = cni_result_add_route(chain);

		if (!route)
			r = -ENOMEM;
		else
			*route = own->routes[i];
	}
	if (r)
		return err_set(e, CNI_ERR_IO, r, "join the result to prevResult");
	if (own->dns) {
		json_decref(chain->dns);
		chain->dns = json_incref(own->dns);
	}
	return 0;
}
