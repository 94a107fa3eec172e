/* SPDX-License-Identifier: Apache-2.0 */
#include "addressing.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "kernel/addr.h"
#include "kernel/announce.h"
#include "kernel/route.h"
#include "kernel/sysctl.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>

/* Container runtimes switch IPv6 off in new namespaces, and the kernel then refuses an address (EACCES). */
static int enable_ipv6(struct vf_site *site, const char *ifname, struct err *e)
{
	char path[sizeof("ipv6/conf//disable_ipv6") + IFNAMSIZ];

	snprintf(path, sizeof(path), "ipv6/conf/%s/disable_ipv6", ifname);
	return sysctl_net_set(site->pod_ns, site->host_ns, path, "0", e);
}

struct route addressing_route(int ifindex, const struct cni_route *r,
			      const struct cni_result *result)
{
	/* scopes are numbered from the universe inwards (linux/rtnetlink.h) */
	bool on_link = r->scope.set && r->scope.value >= RT_SCOPE_LINK;
	struct route route = {
		.ifindex = ifindex,
		.dst = r->dst,
		.gw = r->gw,
		.mtu = r->mtu.value,
		.advmss = r->advmss.value,
		.priority = r->priority.value,
		.table = r->table.value,
		.set_scope = r->scope.set,
		.scope = (uint8_t)r->scope.value,
	};

	inet_net_mask(&route.dst);
	for (size_t i = 0; !on_link && route.gw.family == AF_UNSPEC && i < result->ip_count; i++)
		if (result->ips[i].gateway.family == route.dst.addr.family)
			route.gw = result->ips[i].gateway;
	return route;
}

int addressing_add_route(struct vf_site *site, const struct route *route, struct err *e)
{
	char dst[INET_TEXT], gw[INET_TEXT];
	int r = route_add(&site->pod, route);

	if (!r)
		return 0;
	inet_net_format(&route->dst, dst);
	inet_addr_format(&route->gw, gw);
	return netlink_err(&site->pod, e, r, "add route %s%s%s", dst, *gw ? " via " : "", gw);
}

int addressing_apply(struct vf_site *site, int ifindex, const char *ifname,
		     const struct cni_result *result, bool routes, struct err *e)
{
	bool ipv6_is_on = false;
	char text[INET_TEXT];
	int r = 0;

	for (size_t i = 0; !r && i < result->ip_count; i++) {
		const struct inet_net *address = &result->ips[i].address;

		if (address->addr.family == AF_INET6 && !ipv6_is_on) {
			r = enable_ipv6(site, ifname, e);
			ipv6_is_on = true;
		}
		if (r)
			break;
		r = addr_add(&site->pod, ifindex, address, routes);
		if (r)
			netlink_err(&site->pod, e, r, "add address %s to %s",
				    inet_net_format(address, text), ifname);
	}
	for (size_t i = 0; !r && routes && i < result->route_count; i++) {
		struct route route = addressing_route(ifindex, &result->routes[i], result);

		r = addressing_add_route(site, &route, e);
	}
	return r;
}

static int list_addresses(struct vf_site *site, int ifindex, struct inet_net **ret,
			  size_t *ret_count, struct err *e)
{
	int r = addr_list(&site->pod, ifindex, ret, ret_count);

	return r ? netlink_err(&site->pod, e, r, "list the interface's addresses") : 0;
}

int addressing_clear(struct vf_site *site, int ifindex, struct err *e)
{
	auto_free struct inet_net *there = NULL;
	char text[INET_TEXT];
	size_t count = 0;
	int r = list_addresses(site, ifindex, &there, &count, e);

	for (size_t i = 0; !r && i < count; i++) {
		if (inet_addr_is_link_local(
			    &there[i].addr)) /* the kernel's own, and nobody's lease */
			continue;
		r = addr_del(&site->pod, ifindex, &there[i]);
		if (r)
			return netlink_err(&site->pod, e, r, "remove address %s",
					   inet_net_format(&there[i], text));
	}
	return r;
}

static int check_addresses(struct vf_site *site, int ifindex, const struct cni_result *own,
			   struct err *e)
{
	auto_free struct inet_net *there = NULL;
	char text[INET_TEXT];
	size_t count = 0, j;
	int r = list_addresses(site, ifindex, &there, &count, e);

	if (r)
		return r;
	for (size_t i = 0; i < own->ip_count; i++) {
		const struct inet_net *want = &own->ips[i].address;

		for (j = 0; j < count; j++)
			if (inet_addr_equal(&there[j].addr, &want->addr) &&
			    there[j].len == want->len)
				break;
		if (j == count)
			return err_set(e, CNI_ERR_STATE, 0, "address %s is missing",
				       inet_net_format(want, text));
	}
	return 0;
}

static bool has_route(const struct cni_result *result, const struct inet_net *dst)
{
	for (size_t i = 0; i < result->route_count; i++)
		if (inet_addr_equal(&result->routes[i].dst.addr, &dst->addr) &&
		    result->routes[i].dst.len == dst->len)
			return true;
	return false;
}

static int check_routes(struct vf_site *site, int ifindex, const struct cni_result *own,
			const struct cni_result *prev, struct err *e)
{
	char dst[INET_TEXT];

	for (size_t i = 0; i < own->route_count; i++) {
		struct route route = addressing_route(ifindex, &own->routes[i], own);
		bool exists = false;
		int r;

		if (!has_route(prev, &own->routes[i].dst))
			continue;
		r = route_exists(&site->pod, &route, &exists);
		if (r)
			return netlink_err(&site->pod, e, r, "list routes");
		/* Multus takes an IPv6 default away without taking "::/0" out of the result */
		if (!exists && !(route.dst.addr.family == AF_INET6 && !route.dst.len))
			return err_set(e, CNI_ERR_STATE, 0, "route %s is missing",
				       inet_net_format(&route.dst, dst));
	}
	return 0;
}

int addressing_check(struct vf_site *site, int ifindex, const struct cni_result *own,
		     const struct cni_result *prev, struct err *e)
{
	int r = check_addresses(site, ifindex, own, e);

	return r ? r : check_routes(site, ifindex, own, prev, e);
}

/* No address before it is of a subnet that it is in. */
static bool is_first_of_subnet(const struct cni_result *result, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (inet_net_contains(&result->ips[j].address, &result->ips[i].address.addr))
			return false;
	return true;
}

void addressing_announce(struct vf_site *site, int ifindex, const struct hwaddr *mac,
			 const struct cni_result *result)
{
	char text[INET_TEXT];

	for (size_t i = 0; i < result->ip_count; i++) {
		const struct inet_addr *address = &result->ips[i].address.addr;
		int r;

		if (address->family == AF_INET && mac->len == 6 && is_first_of_subnet(result, i))
			r = announce_first(&site->pod, ifindex, address);
		else
			r = announce(site->pod_ns, site->host_ns, ifindex, mac, address);
		if (r)
			log_warning("announce %s: %s", inet_addr_format(address, text),
				    strerror(-r));
	}
}
