/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the plugins whose names we serve keep of an attachment, so that one which they made before they were replaced
 * can still be undone: text to struct, and no look at the machine.
 *
 * sriov-cni and ib-sriov-cni write their configuration with what they found, in the field names of Go: see NetConf and
 * VfState of their pkg/types. rdma-cni writes RdmaNetState. It is input like any other: nothing of it is believed.
 */
#pragma once

#include "kernel/sysfs.h"
#include "names.h"
#include "vf/state.h"

#include <jansson.h>

struct legacy {
	json_t *root; /* the document; also the configuration, if it has the key ipam */
	char bdf[PCI_ADDR_MAX];
	struct vf_state before; /* what they would restore, and where the RDMA device was */
};

/**
 * legacy_parse() - read what one of the plugins has kept
 * @name: which of them
 * @root: taken over, also on failure; legacy_done() frees it
 *
 * Return: 0, or -EBADMSG (code 5) for what cannot have been written by that plugin.
 */
int legacy_parse(enum plugin_name name, json_t *root, struct legacy *ret, struct err *e);

void legacy_done(struct legacy *l);
#define auto_legacy __attribute__((cleanup(legacy_done)))
