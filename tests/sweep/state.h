/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole observable state of a node: every PCI network interface with all that can be set on it, what the PFs
 * say of their VFs, RDMA devices, records and leases. Read through nl.h, sysfs and sqlite: nothing of lib/.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct fact {
	char key[96]; /* "0000:01:10.0 mtu" */
	char value[320];
};

struct state {
	size_t count, size;
	struct fact *facts; /* sorted by key */
};

/**
 * state_read() - look at a node
 * @pods: names of namespaces below /run/netns, in which to look, too; NULL-terminated
 * @lease_dir: cni-ipam's data directory
 */
void state_read(struct state *ret, const char *const pods[], const char *lease_dir);
void state_done(struct state *s);

typedef void state_diff_fn(const char *key, const char *before, const char *after, void *arg);

/** state_diff() - call @fn for each key in which two states differ ("" = absent); returns how many */
unsigned int state_diff(const struct state *before, const struct state *after, state_diff_fn *fn,
			void *arg);

/** state_add() - for the readers: one more fact */
void state_add(struct state *s, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** state_add_pod() - what attachments changed in a pod's namespace (state_pod.c) */
void state_add_pod(struct state *s, const char *pod, int ns);

/** state_get() - the value of a key, or NULL */
const char *state_get(const struct state *s, const char *key);
