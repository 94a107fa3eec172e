/* SPDX-License-Identifier: Apache-2.0 */
/* All that differs between processors: how a stopped task's system call is skipped and given a result. */
#pragma once

#include <elf.h>
#include <linux/audit.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>

#if defined(__x86_64__)
#define ARCH_AUDIT AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH_AUDIT AUDIT_ARCH_AARCH64
#else
#error "tests/sweep: say here how a system call is skipped on this processor"
#endif

/*
 * At a seccomp stop, a call whose number becomes -1 is not made, and the task finds in its result register
 * what we put there (kernel/seccomp.c, __seccomp_filter).
 */
static inline int arch_skip_call(pid_t pid, int64_t result)
{
	struct user_regs_struct regs;
	struct iovec iov = { &regs, sizeof(regs) };

	if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &iov))
		return -1;
#if defined(__x86_64__)
	regs.orig_rax = (unsigned long long)-1;
	regs.rax = (unsigned long long)result;
#elif defined(__aarch64__)
	int none = -1;
	struct iovec number = { &none, sizeof(none) };

	regs.regs[0] = (uint64_t)result;
	if (ptrace(PTRACE_SETREGSET, pid, NT_ARM_SYSTEM_CALL, &number))
		return -1;
#endif
	return (int)ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &iov);
}
