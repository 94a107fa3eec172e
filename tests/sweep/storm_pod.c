/* SPDX-License-Identifier: Apache-2.0 */
/* One pod of the storm: what it does, and who has what while it lives. */
#include "pod.h"
#include "storm.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

unsigned int if_nametoindex(const char *name);

struct pod {
	struct storm *s;
	unsigned int number;
	int round;
	unsigned int random;
	char name[32], old_name[32];
	unsigned int vf;
	int address; /* its last two bytes; -1 = none */
	char *conf;
};

static unsigned int chance(struct pod *p, unsigned int of)
{
	return (unsigned int)rand_r(&p->random) % of;
}

static struct caller caller_of(const struct pod *p)
{
	return (struct caller){ p->s->plugin, p->s->cni_path, p->conf };
}

static int address_of(const struct said *said)
{
	json_t *root = json_loads(said->out, 0, NULL);
	const char *text = json_string_value(
		json_object_get(json_array_get(json_object_get(root, "ips"), 0), "address"));
	int a, b, c, d, ret = -1;

	if (text && sscanf(text, "%d.%d.%d.%d", &a, &b, &c, &d) == 4)
		ret = (c & 0xff) << 8 | (d & 0xff);
	json_decref(root);
	return ret;
}

static void expect_vf(struct pod *p, const char *when)
{
	int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), ns;
	char path[128];

	snprintf(path, sizeof(path), POD_DIR "/%s", p->name);
	ns = open(path, O_RDONLY | O_CLOEXEC);
	if (own < 0 || ns < 0 || setns(ns, CLONE_NEWNET))
		exit(3);
	if (!if_nametoindex("net1"))
		violation(p->s, "%s: there is no net1 in %s, VF %s", when, p->name,
			  p->s->vfs[p->vf]);
	if (setns(own, CLONE_NEWNET))
		exit(3);
	close(own);
	close(ns);
}

static void take(struct pod *p, const struct said *said)
{
	struct board *b = p->s->board;
	int none = 0, me = (int)p->number + 1;

	if (!atomic_compare_exchange_strong(&b->vf[p->vf], &none, me))
		violation(p->s, "pods %d and %d both have VF %s", me - 1, none - 1,
			  p->s->vfs[p->vf]);
	p->address = address_of(said);
	none = 0;
	if (p->address >= 0 && !atomic_compare_exchange_strong(&b->address[p->address], &none, me))
		violation(p->s, "pods %d and %d both have the address x.x.%d.%d", me - 1, none - 1,
			  p->address >> 8, p->address & 0xff);
	expect_vf(p, "after ADD");
}

static void give_up(struct pod *p)
{
	expect_vf(p, "before DEL");
	if (p->address >= 0)
		p->s->board->address[p->address] = 0;
	p->s->board->vf[p->vf] = 0;
}

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* A verb, of which one in five is killed somewhere in its time. */
static void call(struct pod *p, const char *verb, const char *name, struct said *said)
{
	struct caller c = caller_of(p);
	int64_t start = now_us();
	int kill_us = -1;
	struct running running;

	if (!chance(p, 5))
		kill_us = (int)((int64_t)p->s->board->verb_us * chance(p, 120) / 100);
	plugin_start(&c, verb, name, &running);
	plugin_end(&running, kill_us, LIMIT_S, said);
	storm_expect_end(p->s, p->name, verb, said);
	if (!said->status)
		p->s->board->verb_us = (int)(now_us() - start);
}

/* Returns whether the pod got the VF. */
static bool add(struct pod *p, bool *ret_killed)
{
	struct said said;

	call(p, "ADD", p->name, &said);
	*ret_killed = said.status > 255;
	if (*ret_killed) {
		count(p->s, EVENT_ADD_KILLED);
	} else if (!said.status) {
		count(p->s, EVENT_ADD);
		take(p, &said);
	} else if (storm_error_code(&said) == AGAIN) {
		count(p->s, EVENT_HELD);
	} else {
		violation(p->s, "ADD of %s to %s failed: %s", p->s->vfs[p->vf], p->name, said.out);
	}
	return !said.status;
}

/* As a runtime does: again and again until it succeeds. */
static void del(struct pod *p, const char *name)
{
	struct said said;

	for (int attempt = 0; attempt < 8; attempt++) {
		call(p, "DEL", name, &said);
		if (!said.status) {
			count(p->s, EVENT_DEL);
			return;
		}
		if (said.status > 255)
			count(p->s, EVENT_DEL_KILLED);
		else if (storm_error_code(&said) != AGAIN)
			violation(p->s, "DEL of %s failed: %s", name, said.out);
	}
	violation(p->s, "DEL of %s did not succeed in 8 attempts: %s", name, said.out);
}

static void two_at_once(struct pod *p, const char *first, const char *second)
{
	struct caller c = caller_of(p);
	struct running a, b;
	struct said said;

	plugin_start(&c, first, p->name, &a);
	usleep(chance(p, 200) * 1000);
	plugin_start(&c, second, p->name, &b);
	for (int i = 0; i < 2; i++) {
		const char *verb = i ? second : first;

		plugin_end(i ? &b : &a, -1, LIMIT_S, &said);
		storm_expect_end(p->s, p->name, verb, &said);
		if (said.status && storm_error_code(&said) != AGAIN)
			violation(p->s, "%s of %s, with %s at once, failed: %s", verb, p->name,
				  i ? first : second, said.out);
	}
}

static void choose_vf(struct pod *p)
{
	json_t *conf = json_copy(p->s->conf);

	p->vf = chance(p, p->s->vf_count);
	json_object_set_new(conf, "deviceID", json_string(p->s->vfs[p->vf]));
	free(p->conf);
	p->conf = json_dumps(conf, 0);
	json_decref(conf);
}

/* From a namespace to its end. */
static void live(struct pod *p)
{
	struct board *b = p->s->board;
	bool killed = false, attached;

	choose_vf(p);
	snprintf(p->old_name, sizeof(p->old_name), "%s", p->name);
	snprintf(p->name, sizeof(p->name), "storm%u-%d", p->number, ++p->round);
	b->lives[p->number] = true;
	b->rounds[p->number] = p->round;
	pod_add(p->name);
	if (!chance(p, 6)) {
		count(p->s, EVENT_ADD_AND_DEL);
		two_at_once(p, "ADD", "DEL");
		attached = false;
	} else {
		attached = add(p, &killed);
	}
	if (attached)
		usleep(chance(p, 100) * 1000);
	if (p->old_name[0] && !chance(p, 5)) {
		count(p->s, EVENT_LATE_DEL);
		del(p, p->old_name);
	}
	if (attached)
		give_up(p);
	if (killed && !chance(p, 3)) {
		count(p->s, EVENT_ABANDONED);
		b->lives[p->number] = false;
		pod_del(p->name);
		return;
	}
	if (!chance(p, 4)) {
		count(p->s, EVENT_TWO_DELS);
		two_at_once(p, "DEL", "DEL");
	}
	del(p, p->name);
	b->lives[p->number] = false;
	pod_del(p->name);
}

void storm_be_pod(struct storm *s, unsigned int number)
{
	struct pod p = { .s = s, .number = number, .random = s->seed * 1000 + number };

	while (!s->board->stop)
		live(&p);
}
