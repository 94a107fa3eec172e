/* SPDX-License-Identifier: Apache-2.0 */
/* Which RDMA devices are checked, with their interfaces and addresses: found by netlink and sysfs, without verbs. */
#pragma once

#include "kernel/link.h"
#include "kernel/rdma.h"
#include "kernel/sysfs.h"
#include "options.h"
#include "report.h"

#define TARGETS		 64
#define TARGET_ADDRESSES 64

/* VFs have one port, and IBTA numbers from 1. */
#define TARGET_PORT 1

struct target {
	struct rdma_dev rdma;
	char bdf[PCI_ADDR_MAX]; /* "" = none */
	int uverbs; /* -1 = none */
	struct link link;
	unsigned int address_count;
	struct inet_addr addresses[TARGET_ADDRESSES]; /* without link-local ones */
};

/* How this process sees the namespace that it is in. */
struct place {
	int sysfs;
	struct netlink route, rdma;
};

/**
 * place_enter() - enter the namespace that the options name, and look around from there
 * @about: the namespace's name and inode are filled in
 *
 * All that follows, libraries included, is in that namespace: the verbs device of another one cannot be opened
 * (EPERM), and libibverbs reads /sys.
 *
 * Errors: code 4 naming the option; 100 when the kernel refuses it.
 */
int place_enter(const struct options *o, struct place *ret, struct about *about, struct err *e);
void place_leave(struct place *p);

/**
 * targets_find() - the devices that the options mean
 * @report: each device that was asked for gets a check "device"
 * @ret: those that passed it, room for TARGETS
 * Return: how many
 */
unsigned int targets_find(struct place *p, const struct options *o, struct report *report,
			  struct target *ret);

/** target_check() - begin a check about a target */
struct check *target_check(struct report *r, const struct target *t, const char *id,
			   unsigned int area);
