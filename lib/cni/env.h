/* SPDX-License-Identifier: Apache-2.0 */
/* The CNI parameters that arrive in the environment (specification 1.1.0, section 2). */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum cni_verb {
	CNI_VERB_NONE, /* CNI_COMMAND is unset: a person started the program */
	CNI_VERB_ADD,
	CNI_VERB_DEL,
	CNI_VERB_CHECK,
	CNI_VERB_GC,
	CNI_VERB_STATUS,
	CNI_VERB_VERSION,
};

/*
 * Strings are never NULL: what is unset is "". They belong to the environment or to whoever filled
 * the struct (a record, when DEL is replayed by GC or repair).
 */
struct cni_env {
	enum cni_verb verb;
	const char *container_id;
	const char *netns;
	const char *ifname;
	const char *args;
	const char *path;
	bool netns_override; /* CNI_NETNS_OVERRIDE: the plugin's own netns is allowed as target */
};

/**
 * cni_env_load() - read the parameters and check those that the verb needs
 *
 * What a verb does not need is not looked at: for GC and STATUS libcni sets container id, netns and
 * ifname to "", for VERSION to "dummy".
 *
 * Errors: code 4, the message names the variable and what is allowed.
 */
int cni_env_load(struct cni_env *ret, struct err *e);

/** cni_verb_name() - "ADD" and so on, as CNI_COMMAND has it */
const char *cni_verb_name(enum cni_verb verb);

/**
 * cni_env_arg() - look a key up in CNI_ARGS ("K=V;K=V")
 * @buf: receives the value. The last non-empty one wins: Multus sends duplicates and empty values.
 *
 * Return: whether there was one that is not empty and fits.
 */
bool cni_env_arg(const struct cni_env *env, const char *key, char *buf, size_t size);

/**
 * cni_env_pod() - what CNI_ARGS calls the pod: "namespace/name", or the name alone, as Podman has it
 *
 * Return: whether there is a name.
 */
bool cni_env_pod(const struct cni_env *env, char *buf, size_t size);

/** cni_name_is_valid() - container ids and network names: [a-zA-Z0-9][a-zA-Z0-9_.-]*, up to NAME_MAX */
bool cni_name_is_valid(const char *name);

/** cni_ifname_is_valid() - 1 to 15 bytes, not "." or "..", no '/', ':', '%' or white space */
bool cni_ifname_is_valid(const char *ifname);
