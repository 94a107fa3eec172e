/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading and keeping results; result_build.c writes them. There are two shapes: up to 0.2.0 an "ip4"
 * and an "ip6" object, each with its routes; from 0.3.0 on the arrays "interfaces", "ips" and "routes",
 * which only gained and lost keys since. Reading takes every key that it knows from each version.
 */
#include "cni/result.h"

#include "base/cleanup.h"
#include "cni/field.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more element: arrays are as long as the power of two at or above their count. */
static void *array_grow(void *array, size_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	return reallocarray(array, count ? count * 2 : 1, size);
}

struct cni_interface *cni_result_add_interface(struct cni_result *result)
{
	struct cni_interface *list =
		array_grow(result->interfaces, result->interface_count, sizeof(*list));

	if (!list)
		return NULL;
	result->interfaces = list;
	list += result->interface_count++;
	*list = (struct cni_interface){ 0 };
	return list;
}

struct cni_ip *cni_result_add_ip(struct cni_result *result)
{
	struct cni_ip *list = array_grow(result->ips, result->ip_count, sizeof(*list));

	if (!list)
		return NULL;
	result->ips = list;
	list += result->ip_count++;
	*list = (struct cni_ip){ .interface = -1 };
	return list;
}

struct cni_route *cni_result_add_route(struct cni_result *result)
{
	struct cni_route *list = array_grow(result->routes, result->route_count, sizeof(*list));

	if (!list)
		return NULL;
	result->routes = list;
	list += result->route_count++;
	*list = (struct cni_route){ 0 };
	return list;
}

void cni_result_done(struct cni_result *result)
{
	for (size_t i = 0; i < result->interface_count; i++) {
		free(result->interfaces[i].sandbox);
		free(result->interfaces[i].socket_path);
	}
	free(result->interfaces);
	free(result->ips);
	free(result->routes);
	json_decref(result->dns);
}

static int no_memory(const char *where, struct err *e)
{
	return err_set(e, CNI_ERR_IO, ENOMEM, "keep %s", where);
}

/* Takes one element, whose keys @at finds. */
typedef int element_fn(const struct field_of *at, struct cni_result *into, struct err *e);

/* The elements of an array must be objects; their keys are named "ARRAY[INDEX].KEY". */
static int elements_parse(json_t *array, const char *name, int code, element_fn *parse,
			  struct cni_result *into, struct err *e)
{
	char where[64];
	json_t *item;
	size_t i;
	int r;

	json_array_foreach(array, i, item) {
		const struct field_of at = { item, where, code };

		snprintf(where, sizeof(where), "%s[%zu]", name, i);
		if (!json_is_object(item))
			return field_wrong(&(struct field_of){ NULL, "", code }, where, item, e,
					   "an object");
		strncat(where, ".", sizeof(where) - strlen(where) - 1);
		r = parse(&at, into, e);
		if (r)
			return r;
	}
	return 0;
}

static int interface_parse(const struct field_of *at, struct cni_result *into, struct err *e)
{
	struct cni_interface *dev = cni_result_add_interface(into);
	int r;

	if (!dev)
		return no_memory(at->where, e);
	r = field_copy(at, "name", dev->name, sizeof(dev->name), e);
	r = r ?: field_copy(at, "mac", dev->mac, sizeof(dev->mac), e);
	r = r ?: field_u32(at, "mtu", 0, INT_MAX, &dev->mtu, NULL, e);
	r = r ?: field_dup(at, "sandbox", &dev->sandbox, e);
	r = r ?: field_dup(at, "socketPath", &dev->socket_path, e);
	return r ?: field_copy(at, "pciID", dev->pci_id, sizeof(dev->pci_id), e);
}

/*
 * ips[].interface is safe to index with afterwards. Without interfaces it can only mean the one that an
 * IPAM plugin's caller is about to make, and the caller knows that one.
 */
static int ip_interface_parse(const struct field_of *at, size_t interface_count, struct cni_ip *ip,
			      struct err *e)
{
	uint32_t index = 0;
	bool given = false;
	int r = field_u32(at, "interface", 0, INT_MAX, &index, &given, e);

	if (r || !given || !interface_count)
		return r;
	if (index >= interface_count)
		return field_wrong(at, "interface", json_object_get(at->obj, "interface"), e,
				   "an index into the %zu interfaces", interface_count);
	ip->interface = (int)index;
	return 0;
}

static int ip_parse(const struct field_of *at, struct cni_result *into, struct err *e)
{
	struct cni_ip *ip = cni_result_add_ip(into);
	int r;

	if (!ip)
		return no_memory(at->where, e);
	r = field_net(at, "address", &ip->address, e);
	r = r ?: field_addr(at, "gateway", &ip->gateway, e);
	return r ?: ip_interface_parse(at, into->interface_count, ip, e);
}

static int opt_parse(const struct field_of *at, const char *key, uint32_t max, struct cni_opt *ret,
		     struct err *e)
{
	return field_u32(at, key, 0, max, &ret->value, &ret->set, e);
}

static int route_parse(const struct field_of *at, struct cni_result *into, struct err *e)
{
	struct cni_route *ret = cni_result_add_route(into);
	int r;

	if (!ret)
		return no_memory(at->where, e);
	r = field_net(at, "dst", &ret->dst, e);
	r = r ?: field_addr(at, "gw", &ret->gw, e);
	r = r ?: opt_parse(at, "mtu", UINT32_MAX, &ret->mtu, e);
	r = r ?: opt_parse(at, "advmss", UINT32_MAX, &ret->advmss, e);
	r = r ?: opt_parse(at, "priority", UINT32_MAX, &ret->priority, e);
	r = r ?: opt_parse(at, "table", UINT32_MAX, &ret->table, e);
	/* rtm_scope is a byte (linux/rtnetlink.h) */
	return r ?: opt_parse(at, "scope", UINT8_MAX, &ret->scope, e);
}

int cni_routes_parse(json_t *array, const char *where, int code, struct cni_result *into,
		     struct err *e)
{
	size_t before = into->route_count;
	int r = elements_parse(array, where, code, route_parse, into, e);

	if (r)
		into->route_count = before;
	return r;
}

/* "ip4" or "ip6" of 0.1.0 and 0.2.0; absent is fine. */
static int family_parse(json_t *json, const char *key, int family, struct cni_result *into,
			struct err *e)
{
	char where[] = "ipN.", routes_where[] = "ipN.routes";
	struct field_of at = { NULL, where, CNI_ERR_DECODE };
	json_t *routes = NULL;
	struct cni_ip *ip;
	int r = field_object(&(struct field_of){ json, "", CNI_ERR_DECODE }, key, &at.obj, e);

	if (r || !at.obj)
		return r;
	memcpy(where, key, 3);
	memcpy(routes_where, key, 3);
	ip = cni_result_add_ip(into);
	if (!ip)
		return no_memory(key, e);
	r = field_net(&at, "ip", &ip->address, e);
	if (!r && ip->address.addr.family != family)
		r = field_wrong(&at, "ip", json_object_get(at.obj, "ip"), e, "of that family");
	r = r ?: field_addr(&at, "gateway", &ip->gateway, e);
	r = r ?: field_array(&at, "routes", &routes, e);
	return r ?: cni_routes_parse(routes, routes_where, CNI_ERR_DECODE, into, e);
}

static int families_parse(json_t *json, struct cni_result *into, struct err *e)
{
	int r = family_parse(json, "ip4", AF_INET, into, e);

	return r ?: family_parse(json, "ip6", AF_INET6, into, e);
}

static int arrays_parse(json_t *json, struct cni_result *into, struct err *e)
{
	const struct field_of top = { json, "", CNI_ERR_DECODE };
	json_t *interfaces = NULL, *ips = NULL, *routes = NULL;
	int r = field_array(&top, "interfaces", &interfaces, e);

	r = r ?: field_array(&top, "ips", &ips, e);
	r = r ?: field_array(&top, "routes", &routes, e);
	r = r ?: elements_parse(interfaces, "interfaces", CNI_ERR_DECODE, interface_parse, into, e);
	r = r ?: elements_parse(ips, "ips", CNI_ERR_DECODE, ip_parse, into, e);
	return r ?: cni_routes_parse(routes, "routes", CNI_ERR_DECODE, into, e);
}

int cni_result_parse(json_t *json, enum cni_version fallback, struct cni_result *ret, struct err *e)
{
	const struct field_of top = { json, "", CNI_ERR_DECODE };
	auto_cni_result struct cni_result result = { 0 };
	enum cni_version version = fallback;
	const char *text = "";
	json_t *dns = NULL;
	int r;

	if (!json_is_object(json))
		return err_set(e, CNI_ERR_DECODE, 0, "the result is not a JSON object");
	r = field_str(&top, "cniVersion", &text, e);
	if (!r && *text)
		r = cni_version_parse(text, &version, e);
	r = r ?: field_object(&top, "dns", &dns, e);
	if (r)
		return r;
	r = version <= CNI_VERSION_0_2_0 ? families_parse(json, &result, e)
					 : arrays_parse(json, &result, e);
	if (r)
		return r;
	if (json_object_size(dns)) /* libcni up to 0.8 writes an empty one, which says nothing */
		result.dns = json_incref(dns);
	*ret = result;
	result = (struct cni_result){ 0 };
	return 0;
}
