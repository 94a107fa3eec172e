/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <string.h>
#include <sys/utsname.h>
#include <time.h>

void about_now(struct about *ret)
{
	time_t now = time(NULL);
	struct utsname name;
	struct err ignored;
	struct tm tm;

	if (!uname(&name)) {
		snprintf(ret->node, sizeof(ret->node), "%s", name.nodename);
		snprintf(ret->kernel, sizeof(ret->kernel), "%s", name.release);
	}
	if (boot_id(ret->boot, &ignored))
		ret->boot[0] = '\0';
	gmtime_r(&now, &tm);
	strftime(ret->time, sizeof(ret->time), "%FT%TZ", &tm);
}
