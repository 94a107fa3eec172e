/* SPDX-License-Identifier: Apache-2.0 */
#include "cni/field.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct cut {
	char *at;
	size_t room;
};

/* json_dump_callback_t: keep what fits, and stop the dump when nothing more does. */
static int cut_append(const char *text, size_t len, void *data)
{
	struct cut *cut = data;
	size_t n = len < cut->room ? len : cut->room;

	memcpy(cut->at, text, n);
	cut->at += n;
	cut->room -= n;
	return n < len ? -1 : 0;
}

const char *field_text(const json_t *value, char buf[FIELD_TEXT])
{
	static const char dots[] = "...";
	struct cut cut = { buf, FIELD_TEXT - sizeof(dots) };
	/* ASCII, so that the cut cannot go through a character */
	bool whole = !json_dump_callback(value, cut_append, &cut,
					 JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII);

	strcpy(cut.at, whole ? "" : dots);
	return buf;
}

int field_wrong(const struct field_of *of, const char *key, const json_t *value, struct err *e,
		const char *wanted, ...)
{
	char text[FIELD_TEXT], want[256];
	va_list ap;

	va_start(ap, wanted);
	vsnprintf(want, sizeof(want), wanted, ap);
	va_end(ap);
	return err_set(e, of->code, 0, "%s%s: %s is not %s", of->where, key,
		       field_text(value, text), want);
}

/* The key's value; NULL when it is absent or null. */
static json_t *field_get(const struct field_of *of, const char *key)
{
	json_t *value = json_object_get(of->obj, key);

	return json_is_null(value) ? NULL : value;
}

int field_str(const struct field_of *of, const char *key, const char **ret, struct err *e)
{
	json_t *value = field_get(of, key);

	if (!value)
		return 0;
	if (!json_is_string(value))
		return field_wrong(of, key, value, e, "a string");
	*ret = json_string_value(value);
	return 0;
}

int field_bool(const struct field_of *of, const char *key, bool *ret, struct err *e)
{
	json_t *value = field_get(of, key);

	if (!value)
		return 0;
	if (!json_is_boolean(value))
		return field_wrong(of, key, value, e, "true or false");
	*ret = json_is_true(value);
	return 0;
}

int field_u32(const struct field_of *of, const char *key, uint32_t min, uint32_t max, uint32_t *ret,
	      bool *ret_set, struct err *e)
{
	json_t *value = field_get(of, key);
	json_int_t n = json_integer_value(value);

	if (!value)
		return 0;
	if (!json_is_integer(value) || n < min || n > max)
		return field_wrong(of, key, value, e, "a whole number from %u to %u", min, max);
	*ret = (uint32_t)n;
	if (ret_set)
		*ret_set = true;
	return 0;
}

int field_object(const struct field_of *of, const char *key, json_t **ret, struct err *e)
{
	json_t *value = field_get(of, key);

	if (!value)
		return 0;
	if (!json_is_object(value))
		return field_wrong(of, key, value, e, "an object");
	*ret = value;
	return 0;
}

int field_array(const struct field_of *of, const char *key, json_t **ret, struct err *e)
{
	json_t *value = field_get(of, key);

	if (!value)
		return 0;
	if (!json_is_array(value))
		return field_wrong(of, key, value, e, "an array");
	*ret = value;
	return 0;
}

int field_copy(const struct field_of *of, const char *key, char *ret, size_t size, struct err *e)
{
	const char *text = NULL;
	int r = field_str(of, key, &text, e);

	if (r || !text)
		return r;
	if (strlen(text) >= size)
		return field_wrong(of, key, json_object_get(of->obj, key), e,
				   "a string of %zu bytes at most", size - 1);
	strcpy(ret, text);
	return 0;
}

int field_dup(const struct field_of *of, const char *key, char **ret, struct err *e)
{
	const char *text = "";
	int r = field_str(of, key, &text, e);
	char *own;

	if (r || !*text)
		return r;
	own = strdup(text);
	if (!own)
		return err_set(e, CNI_ERR_IO, ENOMEM, "keep %s%s", of->where, key);
	*ret = own;
	return 0;
}

int field_addr(const struct field_of *of, const char *key, struct inet_addr *ret, struct err *e)
{
	const char *text = "";
	int r = field_str(of, key, &text, e);

	if (r || !*text)
		return r;
	if (inet_addr_parse(text, ret))
		return field_wrong(of, key, json_object_get(of->obj, key), e,
				   "an IPv4 or IPv6 address");
	return 0;
}

int field_net(const struct field_of *of, const char *key, struct inet_net *ret, struct err *e)
{
	const char *text = NULL;
	int r = field_str(of, key, &text, e);

	if (r)
		return r;
	if (!text)
		return err_set(e, of->code, 0, "%s%s is required", of->where, key);
	if (inet_net_parse(text, false, ret))
		return field_wrong(of, key, json_object_get(of->obj, key), e,
				   "an IPv4 or IPv6 address with a prefix length");
	return 0;
}
