/* SPDX-License-Identifier: Apache-2.0 */
/* Network namespaces. The only place that calls setns. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a namespace is known by: while it lives, its inode in nsfs, whose number the next new one gets
 * (lib/idr.c gives the lowest that is free); and for ever its cookie, which only a socket in it tells.
 */
struct netns_id {
	uint64_t dev, ino;
	uint64_t cookie; /* netlink_netns_cookie(); 0 = not known */
};

/**
 * netns_open() - open a namespace by path
 * @path: e.g. /var/run/netns/one or /proc/42/ns/net
 *
 * Return: a descriptor that the caller closes and that keeps the namespace alive; -ENOENT when there
 * is nothing, -ENXIO when the path is there but is no network namespace any more (its mount is gone).
 * Code 4, naming CNI_NETNS.
 */
int netns_open(const char *path, struct err *e);

/**
 * netns_is_gone() - is it that there is no such namespace any more?
 * @r: what netns_open() or netns_find() returned. Every other error, such as -EMFILE, says nothing about the namespace, in which
 *     a pod may be alive.
 */
bool netns_is_gone(int r);

/** netns_open_own() - the calling thread's namespace */
int netns_open_own(struct err *e);

/** netns_enter() - move the calling thread into a namespace */
int netns_enter(int ns, struct err *e);

/** netns_id() - read a namespace's identity from its descriptor, without the cookie */
int netns_id(int ns, struct netns_id *ret, struct err *e);

/** netns_id_equal() - the same, as far as both are known */
bool netns_id_equal(const struct netns_id *a, const struct netns_id *b);

/**
 * netns_find() - find a namespace that lost its path but that a process still lives in
 *
 * Looks through /proc, so it is for repair, not for the common way.
 * Return: a descriptor; -ENOENT when there is none. Code 5 when it cannot be told.
 */
int netns_find(const struct netns_id *id, struct err *e);

/**
 * netns_count() - how many namespaces do processes live in, besides init's?
 *
 * For messages: one that only a mount or a descriptor keeps is not seen.
 */
unsigned int netns_count(void);
