/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What went wrong, with which object, and what can be done about it.
 *
 * A function that can fail returns 0 or a negative errno, takes a struct err as its last argument
 * and fills it on failure. Storage is inline, so making an error cannot fail. Nothing is printed
 * here: only main prints, once, as the CNI error object.
 */
#pragma once

#include <stdbool.h>

/* CNI specification 1.1.0, section 5 "Error"; from 100 on they are the plugin's own. */
enum cni_err {
	CNI_ERR_VERSION = 1, /* incompatible CNI version */
	CNI_ERR_FIELD = 2, /* unsupported field; the message has key and value */
	CNI_ERR_UNKNOWN_CONTAINER = 3, /* container unknown or gone; no DEL is needed */
	CNI_ERR_ENV = 4, /* bad environment; the message names the variable */
	CNI_ERR_IO = 5, /* reading or writing a file failed */
	CNI_ERR_DECODE = 6, /* input cannot be decoded */
	CNI_ERR_CONFIG = 7, /* invalid network configuration */
	CNI_ERR_AGAIN = 11, /* try again later: the state is transient */
	CNI_ERR_UNAVAILABLE = 50, /* STATUS: an ADD cannot be served */
	CNI_ERR_LIMITED = 51, /* STATUS: not available, existing containers may suffer */
	CNI_ERR_KERNEL = 100, /* the kernel refused a change; details has its words */
	CNI_ERR_STATE = 101, /* CHECK: the attachment is not as promised */
	CNI_ERR_EXHAUSTED = 102, /* no address is left in the pool */
};

struct err {
	int code; /* enum cni_err, or a delegated plugin's own code; 0 = no error yet */
	int sys; /* errno (positive), 0 when no system call was involved */
	char msg[512]; /* one line: what was being done to which object, and why it failed */
	char details[1024]; /* longer: the kernel's extended acknowledgement, a way to mend it */
};

/**
 * err_set() - fill an error, replacing what it held
 * @e: the error
 * @code: enum cni_err
 * @sys: an errno of either sign, or 0; its text is appended to the message
 * @fmt: what was being done to which object
 *
 * Return: -errno of @sys, or -EINVAL when @sys is 0; never 0, so that it can be returned as it is.
 */
int err_set(struct err *e, int code, int sys, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#ifdef __clang_analyzer__
/* It looks at one file at a time, and would follow paths on which an error returns success. */
#define err_set(...) (err_set(__VA_ARGS__), -1)
#endif

/** err_details() - set the longer text, which may hold a remedy */
void err_details(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** err_is_shortage() - is it that this process, or the machine, is short of memory or descriptors? @r: an errno of either sign */
bool err_is_shortage(int r);

/** err_prefix() - put what was wanted in front of what failed: "PREFIX: MESSAGE" */
void err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/**
 * err_keep_first() - remember the first of several errors
 * @first: where it is kept; copied to only while it holds none
 * @e: the newer one
 */
void err_keep_first(struct err *first, const struct err *e);

/**
 * err_return() - report the first of several errors, if there was one
 * Return: what err_set() returned for it, with @e filled; 0 when @first holds none.
 */
int err_return(const struct err *first, struct err *e);
