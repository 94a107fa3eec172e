/* SPDX-License-Identifier: Apache-2.0 */
#include "cni/conf.h"

#include "base/cleanup.h"
#include "cni/field.h"
#include "cni/input.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr(" \t\r\n", text[i]) || !text[i])
			return false;
	return true;
}

/*
 * jansson bounds the nesting (2048), refuses NUL, bad UTF-8 and numbers that do not fit. Of a key that
 * is there twice the last one counts, as it does for the programs in Go that sent the text.
 */
static int root_parse(const char *text, size_t len, json_t **ret, struct err *e)
{
	json_auto_t *root = NULL;
	json_error_t why;

	if (is_blank(text, len)) {
		*ret = NULL;
		return 0;
	}
	root = json_loadb(text, len, 0, &why);
	if (!root)
		return err_set(e, CNI_ERR_DECODE, 0,
			       "the configuration is not JSON: line %d, column %d: %s", why.line,
			       why.column, why.text);
	if (!json_is_object(root))
		return err_set(e, CNI_ERR_DECODE, 0, "the configuration is not a JSON object");
	*ret = take_ptr(root);
	return 0;
}

int cni_conf_load(int fd, json_t **ret_root, struct err *e)
{
	auto_input struct input in = { 0 };
	int r = input_read_all(&in, fd);

	if (r == -EFBIG)
		return err_set(e, CNI_ERR_DECODE, r, "the configuration is above %zu bytes",
			       INPUT_MAX);
	if (r)
		return err_set(e, CNI_ERR_IO, r, "read the configuration");
	return root_parse(in.data, in.len, ret_root, e);
}

/* The specification that brought a verb. */
static enum cni_version verb_since(enum cni_verb verb)
{
	if (verb == CNI_VERB_CHECK)
		return CNI_VERSION_0_4_0;
	if (verb == CNI_VERB_GC || verb == CNI_VERB_STATUS)
		return CNI_VERSION_1_1_0;
	return CNI_VERSION_0_1_0;
}

static int check_version(const struct field_of *top, enum cni_verb verb, enum cni_version *ret,
			 struct err *e)
{
	enum cni_version since = verb_since(verb);
	const char *text = "";
	int r = field_str(top, "cniVersion", &text, e);

	if (r)
		return r;
	if (verb == CNI_VERB_VERSION) {
		/* a newer runtime may ask in its own words: the answer says what is spoken here */
		*ret = CNI_VERSION_NEWEST;
		if (*text)
			cni_version_parse(text, ret, &(struct err){ 0 });
		return 0;
	}
	r = cni_version_parse(text, ret, e);
	if (r)
		return r;
	if (*ret < since)
		return err_set(e, CNI_ERR_VERSION, 0,
			       "%s needs cniVersion %s or newer, the configuration has '%s'",
			       cni_verb_name(verb), cni_version_names[since], text);
	return 0;
}

static int check_name(json_t *root, enum cni_verb verb, const char **ret, struct err *e)
{
	const struct field_of top = { root, "", CNI_ERR_CONFIG };
	int r;

	if (verb == CNI_VERB_VERSION) /* libcni's probe has none */
		return 0;
	r = field_str(&top, "name", ret, e);
	if (r)
		return r;
	if (!**ret)
		return err_set(e, CNI_ERR_CONFIG, 0, "name is required: the network's name");
	if (!cni_name_is_valid(*ret))
		return field_wrong(&top, "name", json_object_get(root, "name"), e,
				   "a letter or digit followed by letters, digits, '_', '.' or "
				   "'-', %d in all at most",
				   NAME_MAX);
	return 0;
}

/*
 * {} means no IPAM: sriov-network-operator always writes the key. So does an empty type, for the
 * plugins in Go; but other keys beside it are a type forgotten, which would give a pod without address.
 */
static int check_ipam(const struct field_of *top, json_t **ret, struct err *e)
{
	struct field_of ipam = { NULL, "ipam.", CNI_ERR_CONFIG };
	const char *type = "";
	int r = field_object(top, "ipam", &ipam.obj, e);

	if (r || !json_object_size(ipam.obj))
		return r;
	r = field_str(&ipam, "type", &type, e);
	if (r)
		return r;
	if (*type)
		*ret = ipam.obj;
	else if (json_object_size(ipam.obj) > 1 || !json_object_get(ipam.obj, "type"))
		return err_set(e, CNI_ERR_CONFIG, 0,
			       "ipam.type is required: the IPAM plugin's name, or ipam is {}");
	return 0;
}

int cni_conf_check(json_t *root, enum cni_verb verb, struct cni_conf *ret, struct err *e)
{
	const struct field_of top = { root, "", CNI_ERR_DECODE };
	struct field_of args = { NULL, "args.", CNI_ERR_DECODE };
	struct cni_conf conf = { .name = "", .type = "" };
	int r;

	if (!root && verb != CNI_VERB_VERSION)
		return err_set(e, CNI_ERR_DECODE, 0, "the configuration on stdin is empty");
	r = check_version(&top, verb, &conf.version, e);
	r = r ?: check_name(root, verb, &conf.name, e);
	r = r ?: field_str(&top, "type", &conf.type, e);
	r = r ?: check_ipam(&top, &conf.ipam, e);
	r = r ?: field_object(&top, "runtimeConfig", &conf.runtime, e);
	r = r ?: field_object(&top, "args", &args.obj, e);
	r = r ?: field_object(&args, "cni", &conf.args_cni, e);
	r = r ?: field_object(&top, "prevResult", &conf.prev_result, e);
	if (r)
		return r;
	conf.root = json_incref(root);
	*ret = conf;
	return 0;
}

int cni_conf_parse(const char *text, size_t len, enum cni_verb verb, struct cni_conf *ret,
		   struct err *e)
{
	json_auto_t *root = NULL;
	int r = root_parse(text, len, &root, e);

	return r ?: cni_conf_check(root, verb, ret, e);
}

int cni_conf_read(int fd, enum cni_verb verb, struct cni_conf *ret, struct err *e)
{
	json_auto_t *root = NULL;
	int r = cni_conf_load(fd, &root, e);

	return r ?: cni_conf_check(root, verb, ret, e);
}

void cni_conf_done(struct cni_conf *conf)
{
	json_decref(conf->root);
}

int cni_json_str(json_t *obj, const char *where, const char *key, const char **ret, struct err *e)
{
	return field_str(&(struct field_of){ obj, where, CNI_ERR_CONFIG }, key, ret, e);
}

int cni_json_bool(json_t *obj, const char *where, const char *key, bool *ret, struct err *e)
{
	return field_bool(&(struct field_of){ obj, where, CNI_ERR_CONFIG }, key, ret, e);
}

int cni_json_u32(json_t *obj, const char *where, const char *key, uint32_t min, uint32_t max,
		 uint32_t *ret, bool *ret_set, struct err *e)
{
	return field_u32(&(struct field_of){ obj, where, CNI_ERR_CONFIG }, key, min, max, ret,
			 ret_set, e);
}

int cni_json_object(json_t *obj, const char *where, const char *key, json_t **ret, struct err *e)
{
	return field_object(&(struct field_of){ obj, where, CNI_ERR_CONFIG }, key, ret, e);
}

int cni_json_array(json_t *obj, const char *where, const char *key, json_t **ret, struct err *e)
{
	return field_array(&(struct field_of){ obj, where, CNI_ERR_CONFIG }, key, ret, e);
}

/* An entry that cannot be read is an error: without it, GC would release what is in use. */
static int attachment_parse(json_t *item, const char *key, size_t i, struct cni_attachment *ret,
			    struct err *e)
{
	char where[64];
	const struct field_of of = { item, where, CNI_ERR_CONFIG };
	struct cni_attachment a = { "", "" };
	int r;

	snprintf(where, sizeof(where), "%s[%zu].", key, i);
	r = field_str(&of, "containerID", &a.container_id, e);
	r = r ?: field_str(&of, "ifname", &a.ifname, e);
	if (r)
		return r;
	if (!*a.container_id || !*a.ifname)
		return err_set(e, CNI_ERR_CONFIG, 0, "%s%s is required", where,
			       *a.container_id ? "ifname" : "containerID");
	*ret = a;
	return 0;
}

int cni_conf_valid_attachments(const struct cni_conf *conf, struct cni_attachment **ret,
			       size_t *ret_count, bool *ret_given, struct err *e)
{
	const struct field_of top = { conf->root, "", CNI_ERR_CONFIG };
	const char *key = "cni.dev/valid-attachments";
	auto_free struct cni_attachment *list = NULL;
	json_t *array = NULL, *item;
	size_t i;
	int r = field_array(&top, key, &array, e);

	if (!r && !array) { /* the name that libcni 1.2.0 to 1.2.2 alone used */
		key = "cni.dev/attachments";
		r = field_array(&top, key, &array, e);
	}
	if (r)
		return r;
	list = calloc(json_array_size(array) + 1, sizeof(*list));
	if (!list)
		return err_set(e, CNI_ERR_IO, ENOMEM, "read %s", key);
	json_array_foreach(array, i, item) {
		r = attachment_parse(item, key, i, &list[i], e);
		if (r)
			return r;
	}
	*ret_count = json_array_size(array);
	*ret_given = array;
	*ret = take_ptr(list);
	return 0;
}

bool cni_attachment_is_valid(const struct cni_attachment *list, size_t count,
			     const char *container_id, const char *ifname)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i].container_id, container_id) && !strcmp(list[i].ifname, ifname))
			return true;
	return false;
}
