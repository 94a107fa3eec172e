/* SPDX-License-Identifier: Apache-2.0 */
/* The "ipam" object of a network configuration, in each form that is understood. */
#pragma once

#include "pool.h"
#include "store.h"

#include "base/err.h"
#include "cni/plugin.h"

#include <limits.h>

#define CONF_DATA_DIR  "/var/lib/cni/cni-ipam"
#define CONF_POOLS_DIR "/etc/cni/cni-ipam/pools.d"
#define CONF_NAMED_MAX 8

/* What a pool that is named must be; a file of our own form serves all. */
enum pool_kind { POOL_ANY, POOL_IPPOOL, POOL_CIDRPOOL };

struct conf {
	const char *network;
	const char *data_dir, *pools_dir;
	char node[NAME_MAX + 1];
	struct pool inline_pool; /* of ranges in the configuration; no sets when there are none */
	const char *named[CONF_NAMED_MAX]; /* pools of the pools directory */
	size_t named_count;
	enum pool_kind kind;
	/* Requested addresses, and where they were. */
	struct inet_addr *requested;
	size_t requested_count;
	const char *requested_by;
	bool want_gateway; /* nv-ipam's allocateDefaultGateway */
	bool has_index; /* nv-ipam's allocateIPWithIndex */
	uint32_t index;
	json_t *keep; /* text that strings above point into, beside the call's */
};

/**
 * conf_data_dir() - where the leases are; all that DEL needs to know
 * @ret: belongs to the call
 */
int conf_data_dir(const struct cni_call *call, const char **ret, struct err *e);

/** conf_read() - read and check the whole; conf_done() frees it. Strings belong to the call. */
int conf_read(const struct cni_call *call, struct conf *ret, struct err *e);

void conf_done(struct conf *conf);
#define auto_conf __attribute__((cleanup(conf_done)))

/** conf_node_name() - this node's name: @told, else $NODE_NAME, else the host name */
int conf_node_name(const char *told, char ret[NAME_MAX + 1], struct err *e);

/* The forms of other IPAM plugins; @ipam is the ipam object. */
bool whereabouts_is(json_t *ipam);
int whereabouts_read(const struct field_of *ipam, struct conf *conf, struct err *e);
bool nvipam_is(json_t *ipam);
int nvipam_read(const struct field_of *ipam, json_t *args_cni, struct conf *conf, struct err *e);

/** resolv_read() - host-local's resolvConf: a file as resolv.conf(5) has it, as a CNI "dns" object */
int resolv_read(const char *path, json_t **ret, struct err *e);
