/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin's own keys of a network configuration: text to struct, and no look at the machine. */
#pragma once

#include "base/log.h"
#include "cni/plugin.h"
#include "names.h"
#include "vf/state.h"

/* How the node's RDMA subsystem is to treat network namespaces ("rdma": {"netnsMode"}). */
enum rdma_netns_mode {
	RDMA_EXCLUSIVE, /* devices belong to one namespace; the VF's moves along (the default) */
	RDMA_SHARED, /* every namespace sees every device; the VF's stays */
	RDMA_KEEP, /* whatever the mode is: move in exclusive mode, stay in shared mode */
	RDMA_STAY, /* whatever the mode is: stay ("rdmaIsolation": false) */
};

/* What to do about a fault that leaves an attachment of little use. */
enum fault_policy { FAULT_WARN, FAULT_FAIL };

/* How thoroughly CHECK looks at the RDMA devices ("rdma": {"check"}). */
enum rdma_check {
	RDMA_CHECK_STATE, /* are they where they should be, under their names? (the default) */
	RDMA_CHECK_VERBS, /* and do they work? */
};

/* Strings belong to the configuration. */
struct attach_conf {
	enum plugin_name name; /* as which plugin it is read: defaults follow from it */
	const char *device_id; /* "" when absent, which only DEL, GC and STATUS allow */
	const char *data_dir; /* where attachments are recorded */
	const char *records; /* in which directory of it: see record_store_open_named() */
	struct vf_state want; /* the settings that were asked for, and no others: want.fields */
	bool has_min_rate,
		has_max_rate; /* the kernel sets both at once: one alone leaves the other as it is */
	enum rdma_netns_mode rdma_mode;
	bool rdma_isolation; /* ib-sriov's key: RDMA in exclusive mode, and required */
	bool rdma_lenient; /* a fault of the RDMA device does not fail the attach: it stays behind */
	bool rdma_required; /* a VF without an RDMA device is refused */
	enum fault_policy
		rdma_not_ready; /* port not active, or an address without a GID, in time */
	enum fault_policy rdma_uverbs_changed; /* the move gave the verbs device another number */
	enum fault_policy
		rdma_busy; /* a process of the node has the device open, and would lose it */
	enum rdma_check rdma_check;
	uint32_t rdma_ready_ms; /* how long to wait for it to be ready */
	json_t *sysctl; /* of the pod's network namespace: key to value; NULL = none; see pod_sysctl.h */
	bool source_routing;
	uint64_t guid; /* of an InfiniBand VF; 0 = not given */
	const char *guid_key; /* where it was given */
	const char *workload_dir; /* template; "" = none; see workload_path.h */
	const char *device_info; /* the Network Plumbing WG's device-info file, "" = none */
	enum log_level log_level;
	const char *log_file; /* "" = stderr */
};

/**
 * attach_conf_parse() - read and check the plugin's keys
 *
 * The MAC comes from runtimeConfig.mac, else args.cni.mac, else CNI_ARGS MAC, else mac, as in sriov-cni;
 * the device from runtimeConfig.deviceID, else deviceID.
 *
 * Under the name rdma the device may be absent, and what is not about it is not looked at.
 *
 * Errors: code 7 with key, value and what is allowed.
 */
int attach_conf_parse(const struct cni_call *call, struct attach_conf *ret, struct err *e);

/**
 * attach_conf_parse_store() - only what finds a record: dataDir, a device as a hint, and the log
 *
 * For DEL and GC: a configuration that has become wrong since ADD must not keep an attachment from being
 * undone, so all else is not looked at, and a log or device that does not fit is as if it were absent.
 */
int attach_conf_parse_store(const struct cni_call *call, struct attach_conf *ret, struct err *e);
