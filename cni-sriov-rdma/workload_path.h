/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the files for a pod's workload are ("rdma.workloadDir"): a directory by template.
 *
 * A pod that has it as a volume can write there, and so can put links there for a program that runs as root to follow.
 * What comes before the first component with a token is the administrator's, and trusted. From there on no component is
 * followed if it is a link, and none comes from a pod but through a token, whose value cannot be more than a name.
 */
#pragma once

#include "base/err.h"
#include "cni/env.h"

#include <limits.h>
#include <stdbool.h>

struct workload_path {
	char root[PATH_MAX]; /* trusted */
	char below[PATH_MAX]; /* relative to it, no "." and no ".." */
};

/**
 * workload_path_check() - is it a template that can be used?
 * Absolute, with tokens that tell pods apart: {podUID}, {containerID}, or {podNamespace} and {podName}. Code 7
 */
int workload_path_check(const char *template, struct err *e);

/** workload_path_expand() - put a call's parameters in; code 4 for one that is missing or no name */
int workload_path_expand(const char *template, const struct cni_env *env, struct workload_path *ret,
			 struct err *e);

/** workload_path_is_kubelet() - is it in a volume that kubelet makes and takes away (kubernetes.io~empty-dir)? */
bool workload_path_is_kubelet(const struct workload_path *path);

/**
 * workload_path_open() - open the directory
 * @make: create what is missing, 0755; never in a volume of kubelet's
 * Return: a descriptor, or a negative errno: -ENOENT, or -ELOOP or -ENOTDIR for a link.
 */
int workload_path_open(const struct workload_path *path, bool make);

/** workload_path_remove() - remove what workload_path_open() made, as far as it is empty; below the root only */
void workload_path_remove(const struct workload_path *path);
