/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef err_set /* the analyzer's, not the function's name */

int err_set(struct err *e, int code, int sys, const char *fmt, ...)
{
	va_list ap;
	int n;

	e->code = code;
	e->sys = abs(sys);
	e->details[0] = '\0';
	va_start(ap, fmt);
	n = vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	if (e->sys && n >= 0 && (size_t)n < sizeof(e->msg))
		snprintf(e->msg + n, sizeof(e->msg) - (size_t)n, ": %s", strerror(e->sys));
	return e->sys ? -e->sys : -EINVAL;
}

void err_details(struct err *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e->details, sizeof(e->details), fmt, ap);
	va_end(ap);
}

bool err_is_shortage(int r)
{
	r = abs(r);
	return r == EMFILE || r == ENFILE || r == ENOMEM || r == ENOBUFS;
}

void err_prefix(struct err *e, const char *fmt, ...)
{
	char was[sizeof(e->msg)];
	va_list ap;
	int n;

	memcpy(was, e->msg, sizeof(was));
	va_start(ap, fmt);
	n = vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(e->msg))
		snprintf(e->msg + n, sizeof(e->msg) - (size_t)n, ": %s", was);
}

void err_keep_first(struct err *first, const struct err *e)
{
	if (!first->code)
		*first = *e;
}

int err_return(const struct err *first, struct err *e)
{
	if (!first->code)
		return 0;
	*e = *first;
	return e->sys ? -e->sys : -EINVAL;
}
