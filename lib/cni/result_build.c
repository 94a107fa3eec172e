/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing results. A setter that is given NULL fails, and so does packing short of memory: the steps
 * below therefore add up failures, and one check at the end tells whether the document is whole.
 */
#include "base/cleanup.h"
#include "cni/result.h"

#include <errno.h>

/* Returns non-zero on failure, like jansson's own setters. */
static int set_str(json_t *obj, const char *key, const char *text)
{
	return text && *text ? json_object_set_new(obj, key, json_string(text)) : 0;
}

static int set_int(json_t *obj, const char *key, json_int_t n)
{
	return json_object_set_new(obj, key, json_integer(n));
}

static int set_opt(json_t *obj, const char *key, const struct cni_opt *opt)
{
	return opt->set ? set_int(obj, key, opt->value) : 0;
}

static int set_addr(json_t *obj, const char *key, const struct inet_addr *addr)
{
	char text[INET_TEXT];

	return set_str(obj, key, inet_addr_format(addr, text));
}

static int set_net(json_t *obj, const char *key, const struct inet_net *net)
{
	char text[INET_TEXT];

	return set_str(obj, key, inet_net_format(net, text));
}

/* Empty arrays are left out, as Go's omitempty does; takes over @array. */
static int set_array(json_t *obj, const char *key, json_t *array)
{
	if (array && !json_array_size(array)) {
		json_decref(array);
		return 0;
	}
	return json_object_set_new(obj, key, array);
}

static json_t *interface_build(const struct cni_interface *dev, enum cni_version version)
{
	json_t *obj = json_object();
	int bad = set_str(obj, "name", dev->name) | set_str(obj, "mac", dev->mac);

	if (version >= CNI_VERSION_1_1_0 && dev->mtu)
		bad |= set_int(obj, "mtu", dev->mtu);
	bad |= set_str(obj, "sandbox", dev->sandbox);
	if (version >= CNI_VERSION_1_1_0) {
		bad |= set_str(obj, "socketPath", dev->socket_path);
		bad |= set_str(obj, "pciID", dev->pci_id);
	}
	if (!bad)
		return obj;
	json_decref(obj);
	return NULL;
}

static json_t *ip_build(const struct cni_ip *ip, enum cni_version version, bool ipam)
{
	json_t *obj = json_object();
	int bad = 0;

	if (version < CNI_VERSION_1_0_0)
		bad |= set_str(obj, "version", ip->address.addr.family == AF_INET6 ? "6" : "4");
	bad |= set_net(obj, "address", &ip->address);
	bad |= set_addr(obj, "gateway", &ip->gateway);
	if (!ipam && ip->interface >= 0)
		bad |= set_int(obj, "interface", ip->interface);
	if (!bad)
		return obj;
	json_decref(obj);
	return NULL;
}

static json_t *route_build(const struct cni_route *route, enum cni_version version)
{
	json_t *obj = json_object();
	int bad = set_net(obj, "dst", &route->dst) | set_addr(obj, "gw", &route->gw);

	if (version >= CNI_VERSION_1_1_0) {
		bad |= set_opt(obj, "mtu", &route->mtu);
		bad |= set_opt(obj, "advmss", &route->advmss);
		bad |= set_opt(obj, "priority", &route->priority);
		bad |= set_opt(obj, "table", &route->table);
		bad |= set_opt(obj, "scope", &route->scope);
	}
	if (!bad)
		return obj;
	json_decref(obj);
	return NULL;
}

/* The routes of one family, or of all with AF_UNSPEC. */
static int set_routes(json_t *obj, const struct cni_result *result, int family,
		      enum cni_version version)
{
	json_t *routes = json_array();
	int bad = 0;

	for (size_t i = 0; i < result->route_count; i++) {
		const struct cni_route *route = &result->routes[i];

		if (family == AF_UNSPEC || route->dst.addr.family == family)
			bad |= json_array_append_new(routes, route_build(route, version));
	}
	return bad | set_array(obj, "routes", routes);
}

static int set_arrays(json_t *doc, const struct cni_result *result, enum cni_version version,
		      bool ipam)
{
	json_t *interfaces = json_array(), *ips = json_array();
	int bad = 0;

	for (size_t i = 0; i < result->interface_count && !ipam; i++)
		bad |= json_array_append_new(interfaces,
					     interface_build(&result->interfaces[i], version));
	for (size_t i = 0; i < result->ip_count; i++)
		bad |= json_array_append_new(ips, ip_build(&result->ips[i], version, ipam));
	bad |= set_array(doc, "interfaces", interfaces);
	bad |= set_array(doc, "ips", ips);
	return bad | set_routes(doc, result, AF_UNSPEC, version);
}

/*
 * Up to 0.2.0 routes belong to the address of their family; one of a family without an address has
 * no place, and no use.
 */
static int set_families(json_t *doc, const struct cni_result *result, enum cni_version version)
{
	int bad = 0;

	for (size_t i = 0; i < result->ip_count; i++) {
		const struct cni_ip *ip = &result->ips[i];
		int family = ip->address.addr.family;
		json_t *part = json_object();

		bad |= set_net(part, "ip", &ip->address) | set_addr(part, "gateway", &ip->gateway);
		bad |= set_routes(part, result, family, version);
		bad |= json_object_set_new(doc, family == AF_INET6 ? "ip6" : "ip4", part);
	}
	return bad;
}

static int check_families(const struct cni_result *result, enum cni_version version, struct err *e)
{
	size_t v4 = 0, v6 = 0;

	for (size_t i = 0; i < result->ip_count; i++)
		*(result->ips[i].address.addr.family == AF_INET6 ? &v6 : &v4) += 1;
	if (v4 <= 1 && v6 <= 1 && v4 + v6 > 0)
		return 0;
	return err_set(
		e, CNI_ERR_VERSION, 0,
		"cniVersion %s cannot express a result with %zu IPv4 and %zu IPv6 addresses, "
		"0.3.0 and newer can",
		cni_version_names[version], v4, v6);
}

int cni_result_build(const struct cni_result *result, enum cni_version version, bool ipam,
		     json_t **ret, struct err *e)
{
	bool families = version <= CNI_VERSION_0_2_0;
	json_auto_t *doc = NULL;
	int bad, r;

	r = families ? check_families(result, version, e) : 0;
	if (r)
		return r;
	doc = json_object();
	bad = set_str(doc, "cniVersion", cni_version_names[version]);
	bad |= families ? set_families(doc, result, version)
			: set_arrays(doc, result, version, ipam);
	if (result->dns)
		bad |= json_object_set(doc, "dns", result->dns);
	if (bad) /* names and paths are all there is that could be no UTF-8 */
		return err_set(e, CNI_ERR_IO, 0,
			       "write the result: out of memory, or a text in it is not UTF-8");
	*ret = take_ptr(doc);
	return 0;
}
