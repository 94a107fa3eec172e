/* SPDX-License-Identifier: Apache-2.0 */
#include "state_json.h"

#include <errno.h>
#include <string.h>

static json_t *hwaddr_to_json(const struct hwaddr *a)
{
	char text[HWADDR_TEXT];

	return json_string(hwaddr_format(a, text));
}

static json_t *guid_to_json(uint64_t guid)
{
	return json_sprintf("%016llx", (unsigned long long)guid);
}

static json_t *altnames_to_json(const struct vf_state *s)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < s->altname_count && i < LINK_ALTNAMES; i++)
		json_array_append_new(array, json_string(s->altnames[i]));
	return array;
}

static json_t *rdma_to_json(const struct vf_state *s)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < s->rdma_count; i++)
		json_array_append_new(
			array,
			json_pack("{s:s, s:i, s:i, s:I, s:o, s:s}", "name", s->rdma[i].name,
				  "place", (int)s->rdma[i].place, "uverbs", s->rdma[i].uverbs, "id",
				  (json_int_t)s->rdma[i].id, "guid", guid_to_json(s->rdma[i].guid),
				  "parent", s->rdma[i].parent));
	return array;
}

static void link_to_json(const struct vf_state *s, json_t *o)
{
	if (s->fields & VF_NETNS)
		json_object_set_new(o, "place", json_integer(s->place));
	if (s->fields & VF_NAME)
		json_object_set_new(o, "name", json_string(s->name));
	if (s->fields & VF_MAC)
		json_object_set_new(o, "mac", hwaddr_to_json(&s->mac));
	if (s->fields & VF_MTU)
		json_object_set_new(o, "mtu", json_integer(s->mtu));
	if (s->fields & VF_TXQLEN)
		json_object_set_new(o, "txqlen", json_integer(s->txqlen));
	if (s->fields & VF_GROUP)
		json_object_set_new(o, "group", json_integer(s->group));
	if (s->fields & VF_FLAGS)
		json_object_set_new(o, "flags", json_integer(s->flags));
	if (s->fields & VF_ALIAS) /* any bytes: a pod or an administrator may have put them there */
		json_object_set_new(o, "alias", json_string(s->alias) ?: json_string(""));
	if (s->fields & VF_ALTNAMES)
		json_object_set_new(o, "altnames", altnames_to_json(s));
}

static void pf_to_json(const struct vf_state *s, json_t *o)
{
	if (s->fields & VF_PF_MAC)
		json_object_set_new(o, "pfMac", hwaddr_to_json(&s->pf.mac));
	if (s->fields & VF_PF_VLAN)
		json_object_set_new(o, "vlan",
				    json_pack("{s:i, s:i, s:i}", "id", s->pf.vlan, "qos", s->pf.qos,
					      "proto", s->pf.vlan_proto));
	if (s->fields & VF_PF_SPOOFCHK)
		json_object_set_new(o, "spoofchk", json_boolean(s->pf.spoofchk));
	if (s->fields & VF_PF_TRUST)
		json_object_set_new(o, "trust", json_boolean(s->pf.trust));
	if (s->fields & VF_PF_LINK_STATE)
		json_object_set_new(o, "linkState", json_integer(s->pf.link_state));
	if (s->fields & VF_PF_RATE)
		json_object_set_new(o, "txRate",
				    json_pack("{s:I, s:I}", "min", (json_int_t)s->pf.min_rate,
					      "max", (json_int_t)s->pf.max_rate));
	if (s->fields & VF_PF_NODE_GUID)
		json_object_set_new(o, "nodeGuid", guid_to_json(s->pf.node_guid));
	if (s->fields & VF_PF_PORT_GUID)
		json_object_set_new(o, "portGuid", guid_to_json(s->pf.port_guid));
}

json_t *state_to_json(const struct vf_state *s)
{
	json_t *o = json_object();

	if (!o)
		return NULL;
	link_to_json(s, o);
	pf_to_json(s, o);
	if (s->fields & VF_RDMA_NETNS)
		json_object_set_new(o, "rdma", rdma_to_json(s));
	if (s->fields & VF_DRIVER)
		json_object_set_new(o, "driver", json_string(s->driver));
	return o;
}

static int bad(struct err *e, const char *key)
{
	err_set(e, CNI_ERR_IO, 0, "the record's state has a bad %s", key);
	return -EBADMSG;
}

/* A key's number; an absent key leaves @ret alone and the field unset. */
static int get_number(json_t *o, const char *key, uint32_t max, uint32_t *ret, unsigned int field,
		      unsigned int *fields, struct err *e)
{
	json_t *v = json_object_get(o, key);

	if (!v)
		return 0;
	if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > max)
		return bad(e, key);
	*ret = (uint32_t)json_integer_value(v);
	*fields |= field;
	return 0;
}

static int get_text(json_t *o, const char *key, char *ret, size_t size, unsigned int field,
		    unsigned int *fields, struct err *e)
{
	json_t *v = json_object_get(o, key);

	if (!v)
		return 0;
	if (!json_is_string(v) || json_string_length(v) >= size)
		return bad(e, key);
	strcpy(ret, json_string_value(v));
	*fields |= field;
	return 0;
}

static int get_hwaddr(json_t *o, const char *key, struct hwaddr *ret, unsigned int field,
		      unsigned int *fields, struct err *e)
{
	char text[HWADDR_TEXT] = "";
	unsigned int has = 0;
	int r = get_text(o, key, text, sizeof(text), field, &has, e);

	if (r || !has)
		return r;
	if (*text && hwaddr_parse(text, ret))
		return bad(e, key);
	*fields |= field;
	return 0;
}

static int get_guid(json_t *o, const char *key, uint64_t *ret, unsigned int field,
		    unsigned int *fields, struct err *e)
{
	char text[17] = "";
	unsigned int has = 0;
	int r = get_text(o, key, text, sizeof(text), field, &has, e);

	if (r || !has)
		return r;
	if (strspn(text, "0123456789abcdef") != 16)
		return bad(e, key);
	*ret = strtoull(text, NULL, 16);
	*fields |= field;
	return 0;
}

static int get_bool(json_t *o, const char *key, bool *ret, unsigned int field, unsigned int *fields,
		    struct err *e)
{
	json_t *v = json_object_get(o, key);

	if (!v)
		return 0;
	if (!json_is_boolean(v))
		return bad(e, key);
	*ret = json_is_true(v);
	*fields |= field;
	return 0;
}

static int get_place(json_t *o, const char *key, enum vf_place *ret, unsigned int field,
		     unsigned int *fields, struct err *e)
{
	uint32_t place = VF_HOST;
	int r = get_number(o, key, VF_ELSEWHERE, &place, field, fields, e);

	if (!r)
		*ret = (enum vf_place)place;
	return r;
}

static int link_from_json(json_t *o, struct vf_state *s, struct err *e)
{
	json_t *altnames = json_object_get(o, "altnames"), *name;
	size_t i;
	int r;

	r = get_place(o, "place", &s->place, VF_NETNS, &s->fields, e);
	r = r ?: get_text(o, "name", s->name, sizeof(s->name), VF_NAME, &s->fields, e);
	r = r ?: get_hwaddr(o, "mac", &s->mac, VF_MAC, &s->fields, e);
	r = r ?: get_number(o, "mtu", UINT32_MAX, &s->mtu, VF_MTU, &s->fields, e);
	r = r ?: get_number(o, "txqlen", UINT32_MAX, &s->txqlen, VF_TXQLEN, &s->fields, e);
	r = r ?: get_number(o, "group", UINT32_MAX, &s->group, VF_GROUP, &s->fields, e);
	r = r ?: get_number(o, "flags", VF_FLAGS_MASK, &s->flags, VF_FLAGS, &s->fields, e);
	r = r ?: get_text(o, "alias", s->alias, sizeof(s->alias), VF_ALIAS, &s->fields, e);
	if (r || !altnames)
		return r;
	if (json_array_size(altnames) > LINK_ALTNAMES)
		return bad(e, "altnames");
	json_array_foreach(altnames, i, name) {
		if (!json_is_string(name) || json_string_length(name) >= LINK_ALTNAME_MAX)
			return bad(e, "altnames");
		strcpy(s->altnames[i], json_string_value(name));
	}
	s->altname_count = (unsigned int)json_array_size(altnames);
	s->fields |= VF_ALTNAMES;
	return 0;
}

static int vlan_from_json(json_t *o, struct vf_state *s, struct err *e)
{
	json_t *vlan = json_object_get(o, "vlan");
	uint32_t id = 0, qos = 0, proto = 0;
	unsigned int has = 0;
	int r;

	if (!vlan)
		return 0;
	r = get_number(vlan, "id", 4095, &id, 1, &has, e);
	r = r ?: get_number(vlan, "qos", 7, &qos, 2, &has, e);
	r = r ?: get_number(vlan, "proto", UINT16_MAX, &proto, 4, &has, e);
	if (r || has != 7)
		return bad(e, "vlan");
	s->pf.vlan = (uint16_t)id;
	s->pf.qos = (uint8_t)qos;
	s->pf.vlan_proto = (uint16_t)proto;
	s->fields |= VF_PF_VLAN;
	return 0;
}

static int pf_from_json(json_t *o, struct vf_state *s, struct err *e)
{
	json_t *rate = json_object_get(o, "txRate");
	unsigned int has = 0;
	uint32_t state = 0;
	int r;

	r = get_hwaddr(o, "pfMac", &s->pf.mac, VF_PF_MAC, &s->fields, e);
	r = r ?: vlan_from_json(o, s, e);
	r = r ?: get_bool(o, "spoofchk", &s->pf.spoofchk, VF_PF_SPOOFCHK, &s->fields, e);
	r = r ?: get_bool(o, "trust", &s->pf.trust, VF_PF_TRUST, &s->fields, e);
	r = r ?: get_number(o, "linkState", 2, &state, VF_PF_LINK_STATE, &s->fields, e);
	r = r ?: get_number(rate, "min", UINT32_MAX, &s->pf.min_rate, 1, &has, e);
	r = r ?: get_number(rate, "max", UINT32_MAX, &s->pf.max_rate, 2, &has, e);
	r = r ?: get_guid(o, "nodeGuid", &s->pf.node_guid, VF_PF_NODE_GUID, &s->fields, e);
	r = r ?: get_guid(o, "portGuid", &s->pf.port_guid, VF_PF_PORT_GUID, &s->fields, e);
	if (!r && rate && has != 3)
		r = bad(e, "txRate");
	if (rate)
		s->fields |= VF_PF_RATE;
	s->pf.link_state = (uint8_t)state;
	return r;
}

static int rdma_from_json(json_t *o, struct vf_state *s, struct err *e)
{
	json_t *rdma = json_object_get(o, "rdma"), *dev;
	size_t i;

	if (!rdma)
		return 0;
	if (!json_is_array(rdma) || json_array_size(rdma) > VF_RDMA_DEVS)
		return bad(e, "rdma");
	json_array_foreach(rdma, i, dev) {
		struct vf_rdma *d = &s->rdma[i];
		json_t *uverbs = json_object_get(dev, "uverbs");
		unsigned int has = 0;

		if (get_text(dev, "name", d->name, sizeof(d->name), 1, &has, e) ||
		    get_place(dev, "place", &d->place, 2, &has, e) || has != 3 ||
		    get_number(dev, "id", UINT32_MAX, &d->id, 4, &has, e) ||
		    get_guid(dev, "guid", &d->guid, 8, &has, e) ||
		    get_text(dev, "parent", d->parent, sizeof(d->parent), 16, &has, e))
			return bad(e, "rdma");
		d->uverbs = json_is_integer(uverbs) ? (int)json_integer_value(uverbs) : -1;
	}
	s->rdma_count = (unsigned int)json_array_size(rdma);
	s->fields |= VF_RDMA;
	return 0;
}

/* It becomes part of a path. */
static int driver_from_json(json_t *o, struct vf_state *s, struct err *e)
{
	int r = get_text(o, "driver", s->driver, sizeof(s->driver), VF_DRIVER, &s->fields, e);

	return r || !strchr(s->driver, '/') ? r : bad(e, "driver");
}

int state_from_json(json_t *json, struct vf_state *ret, struct err *e)
{
	struct vf_state s = { 0 };
	int r;

	if (!json_is_object(json))
		return bad(e, "type");
	r = link_from_json(json, &s, e);
	r = r ?: pf_from_json(json, &s, e);
	r = r ?: rdma_from_json(json, &s, e);
	r = r ?: driver_from_json(json, &s, e);
	if (!r)
		*ret = s;
	return r;
}
