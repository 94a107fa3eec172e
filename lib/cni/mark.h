/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mark that tells a program of this project from another's of the same name: an ELF note, which survives stripping.
 * What removes an installed `sriov`, say, can see whose it is. `readelf --notes` shows it.
 */
#pragma once

#include <stdint.h>

#define CNI_MARK_OWNER "cni-sriov-rdma"

struct cni_mark {
	uint32_t name_size, desc_size, type; /* an ELF note's head, elf(5) */
	char name[16];
	char desc[16];
};

_Static_assert(sizeof(CNI_MARK_OWNER) <= sizeof(((struct cni_mark *)0)->name),
	       "a note's name fits");

/* What is the same in every version, up to the description. */
#define CNI_MARK_HEAD \
	.name_size = sizeof(CNI_MARK_OWNER), .desc_size = 16, .type = 1, .name = CNI_MARK_OWNER
