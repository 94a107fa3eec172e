/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings of the pod's network namespace ("sysctl"): set when the interface is there and before it is up.
 *
 * Those of the interface begin anew whenever it changes its namespace, so nothing of them is left when it goes. All
 * others belong to the pod. They are given back at the end of the last attachment that asked for them: each of these
 * has in its record what was before the first.
 */
#pragma once

#include "conf.h"
#include "record.h"
#include "vf/site.h"

#define POD_SYSCTL_PATH_MAX 256

/**
 * pod_sysctl_path() - the file of a setting, relative to /proc/sys/net
 * @key: "net.ipv4.conf.IFNAME.arp_ignore", or with slashes; after the first separator the other one stands for itself,
 *       as in sysctl(8): "net.ipv4.conf.eth0/100.arp_ignore" is of eth0.100
 * @ifname: what IFNAME stands for
 * Return: 0, or -EINVAL for what is no setting below net, or would lead elsewhere.
 */
int pod_sysctl_path(const char *key, const char *ifname, char ret[POD_SYSCTL_PATH_MAX]);

/** pod_sysctl_check_conf() - are all keys and values of the configuration possible? NULL is. Code 7 */
int pod_sysctl_check_conf(json_t *sysctl, const char *ifname, struct err *e);

/**
 * pod_sysctl_note() - note in a record, which is not yet written, what is to be set and what is to be given back
 * @ret_lock: to be closed when the record has been written: the next attachment of this pod then finds it; -1 for none
 * Errors: code 7 for a setting that the namespace or the VF does not have.
 */
int pod_sysctl_note(struct vf_site *site, int store, const struct attach_conf *conf,
		    struct record *record, int *ret_lock, struct err *e);

/** pod_sysctl_apply() - set what a record notes, and note the values as the kernel shows them; code 100 */
int pod_sysctl_apply(struct vf_site *site, struct record *record, struct err *e);

/** pod_sysctl_check() - is it still set? Code 101 */
int pod_sysctl_check(struct vf_site *site, const struct record *record, struct err *e);

/** pod_sysctl_undo() - give the pod's own settings back, and write the record without them */
int pod_sysctl_undo(struct vf_site *site, int store, const struct record *record, struct err *e);
