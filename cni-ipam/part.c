/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which part of a pool is this node's. Two nodes that give out one address are the commonest fault in
 * the field, so all nodes' parts are checked on each of them, not only its own.
 */
#include "pool.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block of addresses, or an index, that a node has. */
struct claim {
	struct range range;
	const char *node;
};

struct claims {
	struct claim *v;
	size_t count;
};

static void claims_done(struct claims *claims)
{
	free(claims->v);
}
#define auto_claims __attribute__((cleanup(claims_done)))

static int claims_add(struct claims *claims, struct range range, const char *node, struct err *e)
{
	struct claim *v = claims->v;

	if (!(claims->count & (claims->count + 1))) /* at 0, 1, 3, 7 …: room for twice as many */
		v = reallocarray(v, 2 * claims->count + 1, sizeof(*v));
	if (!v)
		return err_set(e, CNI_ERR_IO, ENOMEM, "read nodes");
	claims->v = v;
	claims->v[claims->count++] = (struct claim){ range, node };
	return 0;
}

static int by_lo(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;

	return x->range.lo < y->range.lo ? -1 : x->range.lo > y->range.lo;
}

/* Sorted by their start, a block that overlaps any before it overlaps the one that ends last. */
static int check_overlap(const struct field_of *of, struct claims *claims, bool indices,
			 struct err *e)
{
	const struct claim *last = NULL;
	char a[RANGE_TEXT], b[RANGE_TEXT];

	if (claims->count)
		qsort(claims->v, claims->count, sizeof(*claims->v), by_lo);
	for (size_t i = 0; i < claims->count; i++) {
		const struct claim *x = &claims->v[i];

		if (last && range_overlaps(&last->range, &x->range) &&
		    strcmp(last->node, x->node)) {
			if (indices)
				return err_set(e, of->code, 0,
					       "%snodes: '%s' and '%s' both have the index %u",
					       of->where, last->node, x->node,
					       (unsigned int)x->range.lo);
			return err_set(e, of->code, 0, "%snodes: %s of '%s' overlaps %s of '%s'",
				       of->where, range_format(&x->range, a), x->node,
				       range_format(&last->range, b), last->node);
		}
		if (!last || x->range.hi > last->range.hi)
			last = x;
	}
	return 0;
}

static int read_block(const struct field_of *of, const char *node, json_t *item, struct range *ret,
		      struct err *e)
{
	const char *why = "not ADDRESS/LENGTH, FIRST-LAST or an address";
	char text[FIELD_TEXT];

	if (json_is_string(item) && !range_parse(json_string_value(item), ret, &why))
		return 0;
	return err_set(e, of->code, 0, "%snodes.%s: %s: %s", of->where, node,
		       field_text(item, text), why);
}

/* One node's entry: its index, or a list of its blocks. */
static int read_node(const struct field_of *of, const char *node, json_t *value,
		     struct claims *blocks, struct claims *indices, struct err *e)
{
	struct range x;
	json_t *item;
	size_t i;
	int r;

	if (json_is_integer(value) && json_integer_value(value) >= 0 &&
	    json_integer_value(value) <= UINT32_MAX) {
		x.lo = x.hi = (addr_key)json_integer_value(value);
		return claims_add(indices, x, node, e);
	}
	if (!json_is_array(value) || !json_array_size(value))
		return err_set(e, of->code, 0,
			       "%snodes.%s is neither a list of blocks nor an index from 0 on",
			       of->where, node);
	json_array_foreach(value, i, item) {
		r = read_block(of, node, item, &x, e);
		r = r ?: claims_add(blocks, x, node, e);
		if (r)
			return r;
	}
	return 0;
}

static int read_nodes(const struct field_of *of, json_t *nodes, struct claims *blocks,
		      struct claims *indices, struct err *e)
{
	const char *node;
	json_t *value;
	int r = 0;

	json_object_foreach(nodes, node, value) {
		r = read_node(of, node, value, blocks, indices, e);
		if (r)
			return r;
	}
	if (blocks->count && indices->count)
		return err_set(e, of->code, 0,
			       "%snodes: '%s' has blocks and '%s' an index: whether they overlap "
			       "cannot be told, use one form",
			       of->where, blocks->v[0].node, indices->v[0].node);
	r = check_overlap(of, blocks, false, e);
	return r ? r : check_overlap(of, indices, true, e);
}

static int own_part(const struct field_of *of, const struct claims *blocks,
		    const struct claims *indices, struct part *part, struct err *e)
{
	for (size_t i = 0; i < indices->count; i++)
		if (!strcmp(indices->v[i].node, part->node)) {
			part->kind = PART_INDEX;
			part->index = (uint32_t)indices->v[i].range.lo;
			return 0;
		}
	part->kind = PART_BLOCKS;
	for (size_t i = 0; i < blocks->count; i++)
		if (!strcmp(blocks->v[i].node, part->node) &&
		    range_list_add(&part->blocks, blocks->v[i].range))
			return err_set(e, CNI_ERR_IO, ENOMEM, "read nodes");
	range_list_merge(&part->blocks);
	if (part->blocks.count)
		return 0;
	err_set(e, of->code, 0, "%snodes: has nothing for this node, '%s'", of->where, part->node);
	err_details(e,
		    "The node's name is nodeName of the configuration, else $NODE_NAME, else the "
		    "host name.");
	return -EINVAL;
}

int part_read(const struct field_of *of, const char *node, struct part *ret, struct err *e)
{
	auto_claims struct claims blocks = { 0 }, indices = { 0 };
	auto_part struct part part = { .node = node };
	bool has_index = false, local = false;
	json_t *nodes = NULL;
	int r = field_object(of, "nodes", &nodes, e);

	r = r ?: field_u32(of, "nodeIndex", 0, UINT32_MAX, &part.index, &has_index, e);
	r = r ?: field_bool(of, "nodeLocal", &local, e);
	if (r)
		return r;
	if (!!nodes + has_index + local > 1)
		return err_set(e, of->code, 0,
			       "%snodes, nodeIndex and nodeLocal exclude each other", of->where);
	part.told = nodes || has_index || local;
	if (has_index)
		part.kind = PART_INDEX;
	if (nodes) {
		r = read_nodes(of, nodes, &blocks, &indices, e);
		r = r ?: own_part(of, &blocks, &indices, &part, e);
		if (r)
			return r;
	}
	*ret = part;
	part.blocks = (struct range_list){ 0 };
	return 0;
}

static bool lies_in(const struct pool *pool, const struct range *x)
{
	for (size_t i = 0; i < pool->set_count; i++)
		for (size_t k = 0; k < pool->sets[i].subnet_count; k++) {
			struct range all = range_of_net(&pool->sets[i].subnets[k].net);

			if (range_contains(&all, x))
				return true;
		}
	return false;
}

int part_check(const struct field_of *of, const struct pool *pool, struct err *e)
{
	auto_claims struct claims blocks = { 0 }, indices = { 0 };
	char text[RANGE_TEXT];
	json_t *nodes = json_object_get(of->obj, "nodes");
	int r = read_nodes(of, nodes, &blocks, &indices, e);

	for (size_t i = 0; !r && i < blocks.count; i++)
		if (!lies_in(pool, &blocks.v[i].range))
			r = err_set(e, of->code, 0, "%snodes.%s: %s lies in no subnet of the pool",
				    of->where, blocks.v[i].node,
				    range_format(&blocks.v[i].range, text));
	return r;
}

void part_done(struct part *part)
{
	range_list_done(&part->blocks);
}
