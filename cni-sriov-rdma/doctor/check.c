/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "base/cleanup.h"

#include <stdarg.h>
#include <stdio.h>

const char *check_area_name(unsigned int area)
{
	static const char *const names[] = {
		[AREA_DISCOVERY] = "discovery",	    [AREA_INTERFACES] = "interfaces",
		[AREA_RESOURCES] = "resources",	    [AREA_PLACEMENT] = "placement",
		[AREA_RUNTIME] = "runtime",	    [AREA_CONNECTIVITY] = "connectivity",
		[AREA_PERFORMANCE] = "performance",
	};

	return area < array_size(names) && names[area] ? names[area] : "?";
}

const char *check_status_name(enum check_status status)
{
	switch (status) {
	case CHECK_PASS:
		return "pass";
	case CHECK_NOT_APPLICABLE:
		return "not applicable";
	case CHECK_FAIL:
	case CHECK_UNREAD:
		break;
	}
	return "fail";
}

bool check_passed(const struct check *c)
{
	return c->status == CHECK_PASS || c->status == CHECK_NOT_APPLICABLE;
}

#define set_text(field, fmt)                                       \
	do {                                                       \
		va_list ap_;                                       \
		va_start(ap_, fmt);                                \
		vsnprintf(c->field, sizeof(c->field), (fmt), ap_); \
		va_end(ap_);                                       \
	} while (0)

void check_wants(struct check *c, const char *fmt, ...)
{
	set_text(expected, fmt);
}

void check_saw(struct check *c, const char *fmt, ...)
{
	set_text(observed, fmt);
}

void check_from(struct check *c, const char *fmt, ...)
{
	set_text(source, fmt);
}

void check_pass(struct check *c)
{
	c->status = CHECK_PASS;
}

void check_warn(struct check *c, const char *fmt, ...)
{
	c->status = CHECK_PASS;
	set_text(warning, fmt);
}

void check_fail(struct check *c, const char *fmt, ...)
{
	c->status = CHECK_FAIL;
	set_text(reason, fmt);
}

void check_unread(struct check *c, const char *fmt, ...)
{
	c->status = CHECK_UNREAD;
	set_text(reason, fmt);
}

void check_not_applicable(struct check *c, const char *fmt, ...)
{
	c->status = CHECK_NOT_APPLICABLE;
	set_text(reason, fmt);
}

void check_fail_err(struct check *c, const struct err *e)
{
	check_fail(c, "%s%s%s", e->msg, e->details[0] ? "; " : "", e->details);
}
