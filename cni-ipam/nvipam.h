/* SPDX-License-Identifier: Apache-2.0 */
/* nv-ipam's objects IPPool and CIDRPool (Mellanox/nvidia-k8s-ipam, api/v1alpha1), as pool files. */
#pragma once

#include "conf.h"

/** nvipam_object_kind() - POOL_IPPOOL or POOL_CIDRPOOL; POOL_ANY when it is no such object */
enum pool_kind nvipam_object_kind(json_t *json);

/** nvipam_object_read() - read this node's allocation of an object, and check all nodes' */
int nvipam_object_read(json_t *json, const char *node, struct pool *pool, struct err *e);
