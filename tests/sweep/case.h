/* SPDX-License-Identifier: Apache-2.0 */
/* One case of the sweep: a verb, a fault at a point, a way to get rid of the attachment, and a look at the node. */
#pragma once

#include "plugin.h"
#include "state.h"
#include "trace.h"

#include <stdbool.h>
#include <stddef.h>

#define array_size(a) (sizeof(a) / sizeof((a)[0]))

#define POD	   "swept"
#define RECORD_DIR "/var/lib/cni/cni-sriov-rdma/attachments"

enum verb { VERB_ADD, VERB_DEL, VERB_GC, VERB_REPAIR, VERBS };
extern const char *const verb_names[VERBS];

enum way { WAY_DEL, WAY_REPAIR, WAY_NEXT, WAYS };

/* A fault at a point, as the long form has many of. */
struct attempt {
	enum fault fault;
	int error;
	enum victim victim;
};

#define KINDS 27 /* of facts that an attach or a pod can change */

/* What is possible with one NIC is not with another. */
enum nic { NIC_ANY, NIC_ETHERNET, NIC_INFINIBAND };

struct sweep {
	struct caller caller;
	char *gc_conf; /* the same with cni.dev/valid-attachments: none is valid */
	char bdf[32], pf_vf[64]; /* "0000:01:00.0 vf1" */
	bool has_rdma;
	enum nic nic;
	bool is_long, is_verbose;
	unsigned int verbs, classes, part, parts;
	const char *one;
	struct state before;
	bool noted, changed[KINDS];
	unsigned int points[VERBS], cases, made, missed, failed;
	const char *label; /* of the case that runs */
	bool case_failed;
};

void complain(struct sweep *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** see() - read the node's state; state_done() ends it */
void see(struct state *ret);

/** compare() - all must be as before; what is not, even after healing, is told once */
void compare(struct sweep *s);

/** kind_of() - "0000:01:10.0 mtu" to "VF mtu"; "" for what belongs to others; returns @buf */
const char *kind_of(const struct sweep *s, const char *key, char buf[96]);

/** call() - a call without a fault, which must succeed */
bool call(struct sweep *s, const char *verb, const char *pod);

/** prepare() - up to the verb that is under test */
void prepare(struct sweep *s, enum verb verb);

/** end_pod() - delete a pod's namespace; its VF must come home */
void end_pod(struct sweep *s, const char *pod);

/** begin_case() - what fails from now on is this case's */
void begin_case(struct sweep *s, const char *label);

/** run_case() - one case, counted */
void run_case(struct sweep *s, enum verb verb, const struct point *p, const struct attempt *a,
	      enum way way);

/** find_points() - the points of a verb: those of a run without a fault; an array that the caller frees */
struct point *find_points(struct sweep *s, enum verb verb, unsigned int *ret_count);

/** all_changed() - has each kind of fact been seen to change? */
bool all_changed(const struct sweep *s);
