/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs.h"

#include <stdio.h>

int cli_main(int argc, char **argv)
{
	(void)argc;
	fprintf(stderr, "cni-ipam: unknown command '%s'\n", argv[1]);
	return 2;
}
