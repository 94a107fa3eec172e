/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

enum { EXIT_CANNOT_RUN = 2 };

struct check *report_add(struct report *r, const char *id, unsigned int area)
{
	struct check *grown = reallocarray(r->checks, r->count + 1, sizeof(*grown));

	if (!grown) {
		fputs("cni-sriov-rdma-doctor: out of memory\n", stderr);
		exit(EXIT_CANNOT_RUN);
	}
	r->checks = grown;
	grown += r->count++;
	*grown = (struct check){ .id = id, .area = area };
	return grown;
}

void report_done(struct report *r)
{
	for (size_t i = 0; i < r->count; i++)
		json_decref(r->checks[i].values);
	free(r->checks);
}

bool report_passed(const struct report *r)
{
	for (size_t i = 0; i < r->count; i++)
		if (!check_passed(&r->checks[i]))
			return false;
	return r->count;
}

/* Empty text is left out. The kernel lets names be any bytes: what is no UTF-8 is not told. */
static void set_text(json_t *object, const char *key, const char *text)
{
	if (*text)
		json_object_set_new(object, key, json_string(text) ?: json_string("?"));
}

static json_t *check_to_json(const struct check *c)
{
	json_t *o = json_object();

	set_text(o, "id", c->id);
	set_text(o, "area", check_area_name(c->area));
	set_text(o, "device", c->device);
	set_text(o, "bdf", c->bdf);
	set_text(o, "interface", c->ifname);
	set_text(o, "status", check_status_name(c->status));
	if (!check_passed(c))
		json_object_set_new(o, "read", json_boolean(c->status != CHECK_UNREAD));
	set_text(o, "expected", c->expected);
	set_text(o, "observed", c->observed);
	set_text(o, "source", c->source);
	set_text(o, "reason", c->reason);
	set_text(o, "warning", c->warning);
	if (c->values)
		json_object_set(o, "values", c->values);
	return o;
}

json_t *report_to_json(const struct report *r)
{
	const struct about *a = &r->about;
	json_t *o = json_object(), *checks = json_array();

	set_text(o, "tool", "cni-sriov-rdma-doctor");
	set_text(o, "version", PROJECT_VERSION);
	set_text(o, "mode", a->mode);
	set_text(o, "status", report_passed(r) ? "pass" : "fail");
	set_text(o, "node", a->node);
	set_text(o, "kernel", a->kernel);
	set_text(o, "bootId", a->boot);
	set_text(o, "time", a->time);
	set_text(o, "pod", a->pod);
	set_text(o, "netns", a->netns);
	json_object_set_new(o, "netnsInode", json_integer((json_int_t)a->netns_inode));
	for (size_t i = 0; i < r->count; i++)
		json_array_append_new(checks, check_to_json(&r->checks[i]));
	json_object_set_new(o, "checks", checks);
	return o;
}

static const char *mark(enum check_status status)
{
	switch (status) {
	case CHECK_PASS:
		return "pass";
	case CHECK_FAIL:
		return "FAIL";
	case CHECK_NOT_APPLICABLE:
		return "n/a";
	case CHECK_UNREAD:
		break;
	}
	return "FAIL, not read";
}

static void print_subject(const struct check *c, FILE *out)
{
	fprintf(out, "%s%s%s%s%s\n", c->device[0] ? c->device : "-", c->bdf[0] ? ", " : "", c->bdf,
		c->ifname[0] ? ", " : "", c->ifname);
}

static void print_check(const struct check *c, FILE *out)
{
	fprintf(out, "  %-14s %-10s %s\n", mark(c->status), c->id, c->observed);
	if (c->warning[0])
		fprintf(out, "  %-14s %-10s warning: %s\n", "", "", c->warning);
	if (c->reason[0])
		fprintf(out, "  %-14s %-10s %s\n", "", "", c->reason);
	if (check_passed(c))
		return;
	if (c->expected[0])
		fprintf(out, "  %-14s %-10s expected: %s\n", "", "", c->expected);
	if (c->source[0])
		fprintf(out, "  %-14s %-10s source: %s\n", "", "", c->source);
}

static bool same_subject(const struct check *a, const struct check *b)
{
	return !strcmp(a->device, b->device) && !strcmp(a->ifname, b->ifname);
}

/* All that is about the subject of check @first, unless an earlier one had the same. */
static void print_group(const struct report *r, size_t first, FILE *out)
{
	for (size_t i = 0; i < first; i++)
		if (same_subject(&r->checks[i], &r->checks[first]))
			return;
	print_subject(&r->checks[first], out);
	for (size_t i = first; i < r->count; i++)
		if (same_subject(&r->checks[i], &r->checks[first]))
			print_check(&r->checks[i], out);
}

void report_print(const struct report *r, FILE *out)
{
	const struct about *a = &r->about;
	size_t failed = 0;

	fprintf(out, "cni-sriov-rdma-doctor %s, kernel %s, node %s, %s\n", PROJECT_VERSION,
		a->kernel, a->node, a->time);
	fprintf(out, "network namespace %s%s[%llu]%s%s\n", a->netns, *a->netns ? " " : "",
		(unsigned long long)a->netns_inode, *a->pod ? ", pod " : "", a->pod);
	for (size_t i = 0; i < r->count; i++) {
		print_group(r, i, out);
		failed += !check_passed(&r->checks[i]);
	}
	fprintf(out, "%zu checks, %zu failed\n", r->count, failed);
}
