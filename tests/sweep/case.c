/* SPDX-License-Identifier: Apache-2.0 */
#include "case.h"

#include "pod.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEXT_POD  "sweptnext"
#define HEALER	  "swepthealer"
#define LEASE_DIR "/var/lib/cni/cni-ipam"

const char *const verb_names[VERBS] = { "ADD", "DEL", "GC", "repair" };

static const char *const way_names[] = { "DEL", "repair", "next ADD" };

static const char *const fault_names[] = { "none", "fail",	  "refuse",
					   "late", "kill before", "kill after" };

/* What an attach or a pod can change, as node.sh configures it; VF, PF and rdma stand for what is before the blank. */
static const struct {
	const char *kind;
	enum nic nic;
} must_change[KINDS] = {
	{ "VF netns", NIC_ANY },
	{ "VF name", NIC_ANY },
	{ "VF mac", NIC_ANY },
	{ "VF mtu", NIC_ANY },
	{ "VF txqlen", NIC_ANY },
	{ "VF flags", NIC_ANY },
	{ "VF alias", NIC_ANY },
	{ "VF group", NIC_ANY },
	{ "VF altnames", NIC_ANY },
	{ "VF promiscuity", NIC_ANY },
	{ "VF allmulti", NIC_ANY },
	{ "PF mac", NIC_ETHERNET },
	{ "PF vlan", NIC_ETHERNET },
	{ "PF qos", NIC_ETHERNET },
	{ "PF max_tx_rate", NIC_ETHERNET },
	{ "PF spoofchk", NIC_ETHERNET },
	{ "PF trust", NIC_ETHERNET },
	{ "PF link_state", NIC_INFINIBAND },
	{ "PF node_guid", NIC_INFINIBAND },
	{ "PF port_guid", NIC_INFINIBAND },
	{ "rdma netns", NIC_ANY },
	{ "rdma name", NIC_ANY },
	{ "file record", NIC_ANY },
	{ "lease held", NIC_ANY },
	{ "file workload", NIC_ETHERNET },
	{ "pod rule", NIC_ETHERNET },
	{ "pod arp_notify", NIC_ETHERNET },
};

void complain(struct sweep *s, const char *fmt, ...)
{
	va_list ap;

	if (!s->case_failed)
		printf("FAILED %s\n", s->label);
	s->case_failed = true;
	va_start(ap, fmt);
	printf("    ");
	vprintf(fmt, ap);
	printf("\n");
	va_end(ap);
}

static const char *const pods[] = { POD, NEXT_POD, NULL };

void see(struct state *ret)
{
	state_read(ret, pods, LEASE_DIR);
}

static void tell_difference(const char *key, const char *before, const char *after, void *arg)
{
	complain(arg, "%s was '%s', is '%s'", key, before, after);
}

/* What a failed case left behind shall not make the next ones fail: repair, and a whole attachment, may help. */
static void heal(struct sweep *s)
{
	struct said said;

	plugin_repair(&s->caller, NULL, NULL, &said);
	pod_add(HEALER);
	plugin_call(&s->caller, "ADD", HEALER, NULL, NULL, &said);
	plugin_call(&s->caller, "DEL", HEALER, NULL, NULL, &said);
	pod_del(HEALER);
}

void compare(struct sweep *s)
{
	struct state now;
	bool same;

	see(&now);
	same = !state_diff(&s->before, &now, tell_difference, s);
	state_done(&now);
	if (same)
		return;
	heal(s);
	see(&now);
	state_done(&s->before);
	s->before = now;
}

const char *kind_of(const struct sweep *s, const char *key, char buf[96])
{
	const char *last = strrchr(key, ' ');

	buf[0] = '\0';
	if (!strncmp(key, s->bdf, strlen(s->bdf)))
		snprintf(buf, 96, "VF%s", last);
	else if (!strncmp(key, s->pf_vf, strlen(s->pf_vf)) && key[strlen(s->pf_vf)] == ' ')
		snprintf(buf, 96, "PF%s", last);
	else if (!strncmp(key, "rdma ", 5) && last > key + 5)
		snprintf(buf, 96, "rdma%s", last);
	else if (!strncmp(key, "file " RECORD_DIR, strlen("file " RECORD_DIR)))
		strcpy(buf, "file record");
	else if (!strncmp(key, "file /run/swept/", 16))
		strcpy(buf, "file workload");
	else if (!strncmp(key, "pod ", 4))
		snprintf(buf, 96, "pod%s", last);
	else if (!strncmp(key, "lease ", 6) || !strncmp(key, "file /var/lib/cni/networks", 26))
		strcpy(buf, "lease held");
	return buf;
}

static void note_change(const char *key, const char *before, const char *after, void *arg)
{
	struct sweep *s = arg;
	char kind[96];

	(void)before;
	(void)after;
	kind_of(s, key, kind);
	for (size_t i = 0; i < array_size(must_change); i++)
		if (!strcmp(kind, must_change[i].kind))
			s->changed[i] = true;
}

static void note_changes(struct sweep *s)
{
	struct state now;

	see(&now);
	state_diff(&s->before, &now, note_change, s);
	state_done(&now);
}

void begin_case(struct sweep *s, const char *label)
{
	s->label = label;
	s->case_failed = false;
}

bool call(struct sweep *s, const char *verb, const char *pod)
{
	struct said said;
	const char *mistake;

	if (!strcmp(verb, "repair"))
		plugin_repair(&s->caller, NULL, NULL, &said);
	else
		plugin_call(&s->caller, verb, pod, NULL, NULL, &said);
	mistake = plugin_mistake(verb, &said);
	if (mistake)
		complain(s, "%s of %s: %s: %s", verb, pod, mistake, said.out);
	if (said.status)
		complain(s, "%s of %s ended with %d: %s%s", verb, pod, said.status, said.out,
			 said.err);
	return !said.status && !mistake;
}

static void call_with_fault(struct sweep *s, enum verb verb, const struct plan *plan,
			    struct trace *trace, struct said *said)
{
	struct caller gc = s->caller;
	const char *mistake;

	gc.conf = s->gc_conf;
	if (verb == VERB_REPAIR)
		plugin_repair(&s->caller, plan, trace, said);
	else
		plugin_call(verb == VERB_GC ? &gc : &s->caller, verb_names[verb], POD, plan, trace,
			    said);
	mistake = plugin_mistake(verb_names[verb], said);
	if (mistake)
		complain(s, "%s: %s: '%s'", verb_names[verb], mistake, said->out);
	if (trace->hung)
		complain(s, "%s did not end within %d s", verb_names[verb], TRACE_LIMIT_S);
}

void end_pod(struct sweep *s, const char *pod)
{
	pod_del(pod);
	if (!pod_await_home(s->bdf, s->has_rdma))
		complain(s, "the VF did not come home from %s", pod);
}

void prepare(struct sweep *s, enum verb verb)
{
	pod_add(POD);
	if (verb == VERB_ADD)
		return;
	if (call(s, "ADD", POD)) {
		pod_tamper(POD, "net1");
		if (!s->noted)
			note_changes(s);
		s->noted = true;
	}
	if (verb == VERB_REPAIR)
		end_pod(s, POD);
}

static void expect_place(struct sweep *s, const char *pod)
{
	struct state now;
	const char *place;
	char key[64];

	see(&now);
	snprintf(key, sizeof(key), "%s netns", s->bdf);
	place = state_get(&now, key);
	if (!place || strcmp(place, pod) != 0)
		complain(s, "after a late DEL of the old pod, the VF is in '%s', not in %s",
			 place ? place : "", pod);
	state_done(&now);
}

static void finish(struct sweep *s, enum way way)
{
	switch (way) {
	case WAY_DEL:
		call(s, "DEL", POD);
		compare(s); /* while the pod lives, so that its end cannot do our work */
		end_pod(s, POD);
		break;
	case WAY_REPAIR:
		end_pod(s, POD);
		call(s, "repair", POD);
		compare(s);
		break;
	default:
		end_pod(s, POD);
		pod_add(NEXT_POD);
		if (call(s, "ADD", NEXT_POD)) {
			call(s, "DEL", POD);
			expect_place(s, NEXT_POD);
		}
		call(s, "DEL", NEXT_POD);
		compare(s);
		end_pod(s, NEXT_POD);
	}
}

void run_case(struct sweep *s, enum verb verb, const struct point *p, const struct attempt *a,
	      enum way way)
{
	struct plan plan = {
		.classes = s->classes,
		.fault = a->fault,
		.number = p->number,
		.error = a->error,
		.victim = a->victim,
	};
	char label[400];
	struct trace trace;
	struct said said;
	bool done;

	snprintf(label, sizeof(label), "%s %u (%s%s %s): %s%s%s%s, then %s", verb_names[verb],
		 p->number, p->is_delegate ? "delegate's " : "", p->call, p->object,
		 fault_names[a->fault], a->error ? " " : "",
		 a->error ? strerrorname_np(a->error) : "",
		 a->victim == VICTIM_CALLER ? " (caller)"
		 : a->victim == VICTIM_ALL  ? " (all)"
					    : "",
		 way_names[way]);
	begin_case(s, label);
	prepare(s, verb);
	call_with_fault(s, verb, &plan, &trace, &said);
	done = !said.status;
	if (verb == VERB_ADD && done)
		pod_tamper(POD, "net1");
	if (verb == VERB_ADD || !done) {
		finish(s, way);
	} else { /* it says that it has done all */
		compare(s);
		end_pod(s, POD);
	}
	s->made++;
	s->failed += s->case_failed;
	s->missed += !trace.hit;
	if (s->is_verbose || (s->case_failed && said.status < 256))
		printf("%s %s -> %d%s %.300s\n", s->case_failed ? "      " : "ok    ", label,
		       said.status, trace.hit ? "" : " (not reached)",
		       said.status < 256 && said.status ? said.out : "");
	free(trace.points);
}

struct point *find_points(struct sweep *s, enum verb verb, unsigned int *ret_count)
{
	const struct plan plan = { .classes = s->classes };
	struct trace trace;
	struct said said;
	char label[64];

	snprintf(label, sizeof(label), "%s without a fault", verb_names[verb]);
	begin_case(s, label);
	prepare(s, verb);
	call_with_fault(s, verb, &plan, &trace, &said);
	if (said.status)
		complain(s, "it ended with %d: %s%s", said.status, said.out, said.err);
	if (verb == VERB_ADD)
		finish(s, WAY_DEL);
	else
		end_pod(s, POD);
	s->failed += s->case_failed;
	*ret_count = trace.count;
	return trace.points;
}

bool all_changed(const struct sweep *s)
{
	bool all = true;

	for (size_t i = 0; i < array_size(must_change); i++) {
		const char *kind = must_change[i].kind;

		if (s->changed[i] || (must_change[i].nic && must_change[i].nic != s->nic) ||
		    (!s->has_rdma && !strncmp(kind, "rdma", 4)))
			continue;
		printf("FAILED: '%s' was never changed, so nothing shows that it is restored\n",
		       kind);
		all = false;
	}
	return all;
}
