/* SPDX-License-Identifier: Apache-2.0 */
/* Pods for the sweep: namespaces below /run/netns, and what root in one can do to its interface. */
#pragma once

#include <stdbool.h>

#define POD_DIR "/run/netns"

/** pod_add() - a new namespace of that name; exits when it cannot be made */
void pod_add(const char *name);

/** pod_del() - end it, if it is there */
void pod_del(const char *name);

/** pod_await_home() - until the dying namespace has sent the VF and its RDMA device home; false after 10 s */
bool pod_await_home(const char *bdf, bool has_rdma);

/**
 * pod_tamper() - change all that root in the pod can change on its interface, and that stays on it when it
 * leaves the pod; tells on stderr what it could not change
 */
void pod_tamper(const char *name, const char *ifname);
