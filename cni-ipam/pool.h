/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pool, whatever form its configuration had: sets, each of which gives one address.
 *
 * Every form is read into this: ranges of the configuration itself (our own or host-local's:
 * pool_native.c; whereabouts': whereabouts.c), and files of the pools directory (our own:
 * pool_native.c; nv-ipam's objects: nvipam.c). Who gives addresses sees only this.
 */
#pragma once

#include "range.h"

#include "base/err.h"
#include "cni/field.h"
#include "cni/result.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define SCOPE_MAX (2 * NAME_MAX + INET_TEXT)

/*
 * A Linux neighbour that has not heard from an address takes it for stale after at most 45 s
 * (base_reachable_time 30 s, times 0.5 to 1.5), waits 5 s at its next use (delay_first_probe_time), and
 * drops the old MAC after three unanswered probes 1 s apart: 53 s (net/core/neighbour.c, arp(7)).
 */
#define COOLDOWN_DEFAULT_S 60

struct subnet {
	struct inet_net net; /* no host bits; its length is what a pod's address gets */
	struct inet_addr gateway; /* AF_UNSPEC = none */
};

/* One address is given from a set. Its subnets are alternatives, of one family. */
struct set {
	char scope[SCOPE_MAX]; /* where an address may exist once (store.h) */
	struct subnet *subnets;
	size_t subnet_count;
	struct range_list ranges; /* to give out, merged; empty when @known */
	uint8_t hash[16]; /* of them */
	bool known; /* the store has the ranges: they were not read again */
	struct range part; /* of the first subnet: this node's, for allocateIPWithIndex */
};

/* Room for "POOL/NUMBER", by which the store knows one set of a pool: a name, and the longest size_t. */
#define POOL_SET_NAME (NAME_MAX + sizeof("/18446744073709551615"))

struct pool {
	char name[NAME_MAX + 1]; /* "" = ranges of the configuration itself */
	struct set *sets;
	size_t set_count;
	struct cni_result extra; /* its routes and dns */
	uint32_t cooldown_s;
	bool oldest; /* when only cooling addresses are left: give the oldest, do not fail */
	bool whole; /* the ranges are this node's as a whole: nothing says that others have others */
};

void pool_done(struct pool *pool);
#define auto_pool __attribute__((cleanup(pool_done)))

/** pool_add_set() - append a set; NULL when memory is short. It may move those before. */
struct set *pool_add_set(struct pool *pool, const char *scope);

/* Which part of a pool is this node's. */
struct part {
	enum { PART_WHOLE, PART_BLOCKS, PART_INDEX } kind;
	struct range_list blocks; /* PART_BLOCKS: merged */
	uint32_t index; /* PART_INDEX: of a block of perNodeBlockSize */
	bool told; /* the configuration says so; otherwise it is the whole for want of other words */
	const char *node; /* the node's name, for messages */
};

/* What the fields of a subnet are called in a form of configuration. */
struct subnet_keys {
	const char *subnet, *start, *end, *gateway, *exclude;
	bool host_bits; /* are allowed in the subnet, and ignored */
};

extern const struct subnet_keys subnet_keys_native;

/* A subnet as it is read, before this node's part of it is taken. */
struct subnet_spec {
	struct subnet subnet;
	struct range span; /* from start to end */
	struct range_list exclude;
	uint32_t block_size; /* perNodeBlockSize; 0 = not told */
};

void subnet_spec_done(struct subnet_spec *spec);
#define auto_subnet_spec __attribute__((cleanup(subnet_spec_done)))

/** subnet_read() - read and check a subnet's fields: each error names field and value */
int subnet_read(const struct field_of *of, const struct subnet_keys *keys, struct subnet_spec *ret,
		struct err *e);

/** subnet_read_exclude() - exclusions: "A", "A-B", "A/LEN", or {"startIP", "endIP"} */
int subnet_read_exclude(const struct field_of *of, const char *key, const struct inet_net *subnet,
			struct range_list *into, struct err *e);

/** set_add_subnet() - add this node's part of a subnet to a set */
int set_add_subnet(struct set *set, const struct subnet_spec *spec, const struct part *part,
		   const struct field_of *of, const struct subnet_keys *keys, struct err *e);

/** set_finish() - after the last subnet: cut out gateways, sort, hash */
int set_finish(struct set *set, struct err *e);

/** set_subnet_of() - the subnet of a set that an address lies in, or NULL */
const struct subnet *set_subnet_of(const struct set *set, const struct inet_addr *a);

/**
 * pool_read_sets() - our own and host-local's form of ranges: a list of sets
 * @key: its name, "ranges" or "ipRanges"
 * @scope: of each set
 */
int pool_read_sets(const struct field_of *of, const char *key, const char *scope,
		   const struct part *part, struct pool *pool, struct err *e);

/** pool_read_subnet() - the same for a subnet in the object itself, if it has one */
int pool_read_subnet(const struct field_of *of, const char *scope, const struct part *part,
		     struct pool *pool, struct err *e);

/** pool_read_options() - routes, dns, cooldown, whenCooling */
int pool_read_options(const struct field_of *of, struct pool *pool, struct err *e);

/** pool_read_native() - a pool file in our own form */
int pool_read_native(json_t *json, const char *name, const char *node, struct pool *pool,
		     struct err *e);

/**
 * pool_digest_write() - a pool as text, without its ranges, which the store has
 * pool_digest_read() - the pool again, its sets @known; -EINVAL when it is no such text
 */
char *pool_digest_write(const struct pool *pool);
int pool_digest_read(const char *text, struct pool *ret);

/** pool_scope() - the scope of pool files: one for all, or that of a fabric */
void pool_scope(const char *fabric, char ret[SCOPE_MAX]);

/**
 * part_read() - which part is this node's: "nodes", "nodeIndex" or "nodeLocal"; the whole if none is there
 * Errors: two nodes' blocks that overlap, two nodes with one index, no word on this node.
 */
int part_read(const struct field_of *of, const char *node, struct part *ret, struct err *e);

/** part_check() - each node's blocks lie in a subnet of the pool, and blocks of indices exist */
int part_check(const struct field_of *of, const struct pool *pool, struct err *e);

void part_done(struct part *part);
#define auto_part __attribute__((cleanup(part_done)))
