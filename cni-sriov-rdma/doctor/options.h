/* SPDX-License-Identifier: Apache-2.0 */
/* The doctor's command line. */
#pragma once

#include "base/err.h"
#include "base/inet.h"

#include <stdbool.h>
#include <stdint.h>

#define OPTIONS_DEVICES 16

/* An RDMA transfer's message: the peer sets as much memory aside for some of them at once. */
#define TRANSFER_SIZE_MAX  (64u << 20)
#define TRANSFER_TIME_MAX  3600u
#define DOCTOR_TIMEOUT_MAX 3600u

enum doctor_mode {
	DOCTOR_LOCAL, /* what one namespace's devices can do by themselves */
	DOCTOR_SERVER, /* wait for a client of another pod */
	DOCTOR_CLIENT, /* transfer to a server */
	DOCTOR_HELP,
	DOCTOR_VERSION,
};

/* Strings belong to the command line. */
struct options {
	enum doctor_mode mode;
	const char *netns; /* path; NULL = this process's namespace */
	uint64_t pid; /* the namespace of that process; 0 = none was given */
	const char *devices[OPTIONS_DEVICES]; /* RDMA devices */
	unsigned int device_count; /* 0 = all that are there, or the interface's */
	const char *interface; /* NULL = whichever the device has */
	const char *pod; /* who it is done for; "" = not told */
	struct inet_addr peer; /* of DOCTOR_CLIENT */
	uint16_t port;
	uint32_t size, iterations, seconds; /* of DOCTOR_CLIENT's transfer */
	uint32_t wait; /* DOCTOR_SERVER: how long for a client, in seconds */
	uint32_t timeout; /* for everything else that waits, in seconds */
	bool json;
};

/**
 * options_parse() - the command line to options
 * Errors: code 7, naming the option, its value and what is allowed.
 */
int options_parse(int argc, char **argv, struct options *ret, struct err *e);

extern const char options_usage[];
