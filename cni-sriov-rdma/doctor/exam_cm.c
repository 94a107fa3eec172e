/* SPDX-License-Identifier: Apache-2.0 */
/* Does the connection manager find the device by each address? Applications choose it in no other way. */
#include "exam.h"

#include "base/cleanup.h"
#include "cm.h"

#include <errno.h>
#include <string.h>

/* Bind to one address; 0, or the errno that tells of it. @ret_device: what it came to, "" = none */
static int bind_to(struct rdma_event_channel *channel, const struct inet_addr *a,
		   char ret_device[64])
{
	struct sockaddr_storage address;
	struct rdma_cm_id *id;
	int sys = 0;

	ret_device[0] = '\0';
	if (rdma_create_id(channel, &id, NULL, RDMA_PS_TCP))
		return errno;
	cm_sockaddr(a, 0, &address);
	if (rdma_bind_addr(id, (struct sockaddr *)&address))
		sys = errno;
	else if (id->verbs)
		snprintf(ret_device, 64, "%s", ibv_get_device_name(id->verbs->device));
	rdma_destroy_id(id);
	return sys;
}

static void bind_to_all(struct exam *x, struct rdma_event_channel *channel, struct check *c)
{
	char text[INET_TEXT], device[64];

	for (unsigned int i = 0; i < x->t->address_count; i++) {
		const struct inet_addr *a = &x->t->addresses[i];
		int sys = bind_to(channel, a, device);

		inet_addr_format(a, text);
		if (sys) {
			check_saw(c, "%s: %s", text, strerror(sys));
			check_fail(c, "rdma_bind_addr %s: %s%s", text, strerror(sys),
				   sys == ENODEV ? ": no RDMA device has that address's GID" : "");
			return;
		}
		check_saw(c, "%s is on %s", text, *device ? device : "no device");
		if (strcmp(device, x->t->rdma.name)) {
			check_fail(c, "the connection manager takes %s for %s, not %s", text,
				   *device ? device : "no device's", x->t->rdma.name);
			return;
		}
	}
	check_saw(c, "%u addresses are on %s", x->t->address_count, x->t->rdma.name);
	check_pass(c);
}

void exam_cm(struct exam *x, struct check *c)
{
	struct rdma_event_channel *channel;
	struct err e;

	check_wants(c, "each address of %s is on %s", x->t->link.name, x->t->rdma.name);
	check_from(c, "rdma_bind_addr");
	if (!x->t->address_count) {
		check_not_applicable(c, "interface %s has no address", x->t->link.name);
		return;
	}
	if (cm_open(&channel, &e)) {
		check_fail_err(c, &e);
		return;
	}
	bind_to_all(x, channel, c);
	rdma_destroy_event_channel(channel);
}
