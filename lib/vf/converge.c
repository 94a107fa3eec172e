/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory of operation. The order of the steps is what makes an attach safe:
 *
 * In:  the PF's settings first, so that the pod never sees traffic outside its VLAN; GUIDs, for which the driver is
 *      bound anew, which makes the interface and the RDMA device anew; then the RDMA device, while the interface is
 *      down and there are few GIDs to move (on InfiniBand, its move makes the interface anew); then the interface, by
 *      one message that moves, names and sets it; then the PF's MAC; flags (up) last.
 * Out: GUIDs, for the same reason; the RDMA device, the interface (which the move takes down), and only then the PF's
 *      settings.
 */
#include "vf/converge.h"

#include "base/clock.h"
#include "vf/step.h"

#include <errno.h>

#define SETTLE_MS 2000 /* until a driver has done what it has accepted */
#define HOME_MS	  3000 /* until a dying namespace has sent its devices home: seen to take 0.5 s */
#define POLL_MS	  10

static step_fn *const steps_in[] = {
	step_pf_settings, step_guids, step_rdma_netns, step_link, step_pf_mac, step_flags, NULL
};
static step_fn *const steps_out[] = { step_guids,  step_rdma_netns,  step_link,
				      step_pf_mac, step_pf_settings, step_altnames,
				      step_flags,  step_rdma_names,  NULL };

int step_observe(struct converge *c, unsigned int parts, struct err *e)
{
	int r = vf_observe(c->site, c->vf, parts, c->now, e);

	if (!r)
		c->fresh |= parts;
	return r;
}

static int take_steps(struct converge *c, struct err *e)
{
	step_fn *const *step = c->want->place == VF_POD ? steps_in : steps_out;
	struct err first = { 0 }, err;
	int r;

	for (; *step; step++) {
		c->diff = vf_diff(c->now, c->want);
		c->touched |= c->diff;
		r = (*step)(c, &err);
		if (!r)
			continue;
		err_keep_first(&first, &err);
		if (!step_goes_on(c))
			break;
	}
	return err_return(&first, e);
}

/* A PF's driver may take a setting and not report it: then there is nothing to compare. */
static unsigned int verifiable(const struct vf_state *now)
{
	return ~(unsigned int)VF_PF | now->fields;
}

static unsigned int parts_of(unsigned int fields)
{
	return (fields & VF_LINK ? VF_LINK : 0) | (fields & VF_PF ? VF_PF : 0) |
	       (fields & VF_RDMA ? VF_RDMA : 0) | (fields & VF_DRIVER);
}

/* What is to be read again. On the way back nobody asks for the number of a verbs device. */
static unsigned int unverified(struct converge *c)
{
	unsigned int parts = parts_of(c->touched) & ~c->fresh;

	c->fresh = 0; /* a driver may not be done yet: next time, all */
	if (c->mode == VF_RESTORE && (parts & VF_RDMA) &&
	    vf_observe_moved_rdma(c->site, c->now, c->want))
		parts &= ~(unsigned int)VF_RDMA;
	return parts;
}

static int verify(struct converge *c, struct err *e)
{
	uint64_t deadline = clock_ms() + SETTLE_MS;
	unsigned int diff;
	char text[512];
	int r;

	for (;;) {
		r = vf_observe(c->site, c->vf, unverified(c), c->now, e);
		if (r)
			return r;
		diff = vf_diff(c->now, c->want) & verifiable(c->now);
		if (!diff)
			return 0;
		if (clock_ms() >= deadline)
			return err_set(e, CNI_ERR_KERNEL, ETIMEDOUT, "VF %s: after it was set, %s",
				       c->vf->bdf,
				       vf_diff_format(c->now, c->want, diff, text, sizeof(text)));
		clock_pause(POLL_MS);
	}
}

static bool is_elsewhere(const struct vf_state *s)
{
	bool elsewhere = (s->fields & VF_NETNS) && s->place == VF_ELSEWHERE;

	for (unsigned int i = 0; i < s->rdma_count; i++)
		elsewhere |= s->rdma[i].place == VF_ELSEWHERE;
	return elsewhere;
}

int vf_await_home(struct vf_site *site, const struct vf *vf, struct vf_state *now, struct err *e)
{
	uint64_t deadline = clock_ms() + HOME_MS;
	int r = 0;

	while (!r && is_elsewhere(now) && clock_ms() < deadline) {
		clock_pause(POLL_MS);
		r = vf_observe(site, vf, VF_LINK | VF_RDMA, now, e);
	}
	return r;
}

int vf_converge(struct vf_site *site, const struct vf *vf, struct vf_state *now,
		const struct vf_state *want, enum vf_converge_mode mode, struct err *e)
{
	struct converge c = { .site = site, .vf = vf, .now = now, .want = want, .mode = mode };
	struct err second; /* the first is what is told */
	int r;

	if (!vf_diff(now, want))
		return 0;
	r = take_steps(&c, e);
	if (!r)
		return verify(&c, e);
	if (vf_observe(site, vf, VF_LINK | VF_PF | VF_RDMA | VF_DRIVER, now, &second))
		now->fields = 0;
	return r;
}
