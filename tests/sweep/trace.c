/* SPDX-License-Identifier: Apache-2.0 */
#include "trace.h"

#include "arch.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/ptrace.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TASKS_MAX 64
#define CALLS_MAX 64

struct kind { /* as in struct nlmsghdr */
	uint16_t type, flags;
};

struct task {
	pid_t pid; /* 0 = unused */
	bool at_exit; /* we wait for the end of @call */
	struct call call;
	bool hit; /* @call is the planned one */
	/* a request whose answer is to be changed */
	bool altered;
	uint32_t seq;
	struct kind kind; /* what the message was, to be put back after it is sent */
	uint64_t header; /* where; 0 = nothing to put back */
};

struct run {
	const struct plan *plan;
	struct trace *trace;
	pid_t plugin;
	bool armed; /* the program itself runs, not our code before exec */
	bool plugin_ended;
	struct task tasks[TASKS_MAX];
};

static struct task *task_find(struct run *run, pid_t pid)
{
	for (int i = 0; i < TASKS_MAX; i++)
		if (run->tasks[i].pid == pid)
			return &run->tasks[i];
	return NULL;
}

/* --- the traced side -------------------------------------------------------------------------------------- */

/* Stop at the calls that interest us, let all others pass. */
static int install_filter(void)
{
	struct sock_filter code[CALLS_MAX + 8];
	int numbers[CALLS_MAX];
	size_t count = call_numbers(numbers, CALLS_MAX), n = 0;
	struct sock_fprog prog = { .filter = code };

	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, arch));
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH_AUDIT, 1, 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < count; i++)
		code[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)numbers[i], (uint8_t)(count - i), 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
	prog.len = (unsigned short)n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

static void become(char *const argv[], char *const envp[], const int fds[3])
{
	for (int i = 0; i < 3; i++)
		if (fds[i] >= 0 && dup2(fds[i], i) < 0)
			_exit(127);
	if (ptrace(PTRACE_TRACEME, 0, 0, 0))
		_exit(127);
	raise(SIGSTOP); /* until the tracer has set its options */
	if (install_filter())
		_exit(127);
	execvpe(argv[0], argv, envp);
	_exit(127);
}

/* --- the tracing side --------------------------------------------------------------------------------------- */

static void resume(struct task *t, int signal_)
{
	ptrace(t->at_exit ? PTRACE_SYSCALL : PTRACE_CONT, t->pid, 0, signal_);
}

static void kill_victims(struct run *run, const struct task *caller)
{
	for (int i = 0; i < TASKS_MAX; i++) {
		pid_t pid = run->tasks[i].pid;

		if (pid &&
		    (run->plan->victim == VICTIM_ALL ||
		     pid == (run->plan->victim == VICTIM_PLUGIN ? run->plugin : caller->pid)))
			kill(pid, SIGKILL);
	}
}

/* Make a message one that the kernel acknowledges without doing it. */
static void blank_request(struct task *t, bool blank)
{
	struct nlmsghdr h = { 0 };
	struct kind noop;
	size_t len;

	if (!call_buffer(&t->call, &t->header, &len) ||
	    !task_read(t->pid, t->header, &h, sizeof(h))) {
		t->header = 0;
		return;
	}
	t->altered = true;
	t->seq = h.nlmsg_seq;
	t->kind = (struct kind){ h.nlmsg_type, h.nlmsg_flags };
	noop = (struct kind){ NLMSG_NOOP, h.nlmsg_flags | NLM_F_ACK }; /* a GET asks for none */
	if (blank)
		task_write(t->pid, t->header + offsetof(struct nlmsghdr, nlmsg_type), &noop,
			   sizeof(noop));
	else
		t->header = 0;
}

/* The planned point, at the entry of its call. */
static void strike(struct run *run, struct task *t, const struct point *p)
{
	const struct plan *plan = run->plan;

	switch (plan->fault) {
	case FAULT_NONE:
		break;
	case FAULT_FAIL:
		arch_skip_call(t->pid, -plan->error);
		break;
	case FAULT_REFUSE:
	case FAULT_LATE:
		t->at_exit = true;
		if (p->is_netlink)
			blank_request(t, plan->fault == FAULT_REFUSE);
		else if (plan->fault == FAULT_LATE)
			t->hit = true;
		else
			arch_skip_call(t->pid, -plan->error);
		break;
	case FAULT_KILL_BEFORE:
		kill_victims(run, t);
		break;
	case FAULT_KILL_AFTER:
		t->at_exit = true;
		t->hit = true;
		break;
	}
}

static bool is_planned(const struct plan *plan, unsigned int number)
{
	return plan->fault != FAULT_NONE && (!plan->number || number == plan->number);
}

static void note_point(struct run *run, struct task *t, struct point *p)
{
	struct trace *trace = run->trace;
	char text[sizeof(p->call) + sizeof(p->object) + 1];

	if (!(p->class & run->plan->classes))
		return;
	snprintf(text, sizeof(text), "%s %s", p->call, p->object);
	if (run->plan->match && !strstr(text, run->plan->match))
		return;
	p->number = ++trace->count;
	p->is_delegate = t->pid != run->plugin;
	trace->points = reallocarray(trace->points, trace->count, sizeof(*p));
	if (!trace->points)
		abort();
	trace->points[trace->count - 1] = *p;
	if (!is_planned(run->plan, p->number))
		return;
	if (!trace->hit)
		trace->at = *p;
	trace->hit = true;
	strike(run, t, p);
}

static void on_entry(struct run *run, struct task *t)
{
	struct ptrace_syscall_info info;
	struct point p;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, t->pid, sizeof(info), &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_SECCOMP)
		return;
	t->call = (struct call){ .pid = t->pid, .nr = (int)info.seccomp.nr };
	memcpy(t->call.args, info.seccomp.args, sizeof(t->call.args));
	if (call_receives(&t->call))
		t->at_exit = t->altered;
	else if (run->armed && call_describe(&t->call, &p))
		note_point(run, t, &p);
}

/* Give the acknowledgement of the altered request its error. */
static void alter_answer(struct run *run, struct task *t)
{
	char data[8192] __attribute__((aligned(8)));
	struct nlmsghdr *h = (struct nlmsghdr *)(void *)data;
	int error = -run->plan->error;
	uint64_t at;
	size_t size;
	int len;

	if (!call_buffer(&t->call, &at, &size))
		return;
	if (size > sizeof(data))
		size = sizeof(data);
	if (!task_read(t->pid, at, data, size))
		return;
	len = (int)size;
	for (; NLMSG_OK(h, len); h = NLMSG_NEXT(h, len)) {
		if (h->nlmsg_seq != t->seq || h->nlmsg_type != NLMSG_ERROR)
			continue;
		task_write(t->pid, at + (uint64_t)((char *)h - data) + NLMSG_HDRLEN, &error,
			   sizeof(error));
		if (!call_peeks(&t->call))
			t->altered = false;
		return;
	}
}

static void on_exit_of_call(struct run *run, struct task *t)
{
	t->at_exit = false;
	if (call_receives(&t->call)) {
		if (t->altered)
			alter_answer(run, t);
		return;
	}
	if (t->header) {
		task_write(t->pid, t->header + offsetof(struct nlmsghdr, nlmsg_type), &t->kind,
			   sizeof(t->kind));
		t->header = 0;
	}
	if (!t->hit)
		return;
	t->hit = false;
	if (run->plan->fault == FAULT_KILL_AFTER)
		kill_victims(run, t);
	else
		arch_skip_call(t->pid, -run->plan->error); /* at the exit it only sets the result */
}

static void on_stop(struct run *run, struct task *t, int status)
{
	int sig = WSTOPSIG(status), event = status >> 16;

	if (sig == (SIGTRAP | 0x80)) {
		on_exit_of_call(run, t);
		sig = 0;
	} else if (event == PTRACE_EVENT_SECCOMP) {
		on_entry(run, t);
		sig = 0;
	} else if (event) {
		if (event == PTRACE_EVENT_EXEC)
			run->armed = true;
		sig = 0;
	} else if (sig == SIGSTOP) {
		sig = 0; /* how a new task begins */
	}
	resume(t, sig);
}

static struct task *task_get(struct run *run, pid_t pid)
{
	struct task *t = task_find(run, pid);

	if (t)
		return t;
	t = task_find(run, 0);
	if (!t)
		abort();
	*t = (struct task){ .pid = pid };
	return t;
}

static void on_end(struct run *run, pid_t pid, int status)
{
	struct task *t = task_find(run, pid);

	if (pid == run->plugin) {
		run->trace->status = status;
		run->plugin_ended = true;
	}
	if (t)
		t->pid = 0;
}

static bool any_task(const struct run *run)
{
	for (int i = 0; i < TASKS_MAX; i++)
		if (run->tasks[i].pid)
			return true;
	return false;
}

static void on_alarm(int sig)
{
	(void)sig; /* only to end waitpid */
}

static void follow(struct run *run)
{
	struct sigaction act = { .sa_handler = on_alarm }, old;
	time_t end = time(NULL) + TRACE_LIMIT_S;

	sigaction(SIGALRM, &act, &old);
	alarm(TRACE_LIMIT_S + 1);
	while (any_task(run)) {
		int status;
		pid_t pid = waitpid(-1, &status, __WALL);

		if (pid < 0 && errno == ECHILD)
			break;
		if (time(NULL) > end && !run->trace->hung) {
			run->trace->hung = true;
			for (int i = 0; i < TASKS_MAX; i++)
				if (run->tasks[i].pid)
					kill(run->tasks[i].pid, SIGKILL);
		}
		if (pid < 0)
			continue;
		if (WIFSTOPPED(status))
			on_stop(run, task_get(run, pid), status);
		else
			on_end(run, pid, status);
	}
	alarm(0);
	sigaction(SIGALRM, &old, NULL);
}

int trace_run(const struct plan *plan, char *const argv[], char *const envp[], const int fds[3],
	      struct trace *ret)
{
	const long options = PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACESECCOMP |
			     PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
			     PTRACE_O_TRACECLONE;
	struct run run = { .plan = plan, .trace = ret };
	int status;

	*ret = (struct trace){ 0 };
	run.plugin = fork();
	if (run.plugin < 0)
		return -1;
	if (!run.plugin)
		become(argv, envp, fds);
	if (waitpid(run.plugin, &status, 0) < 0 || !WIFSTOPPED(status))
		return -1;
	if (ptrace(PTRACE_SETOPTIONS, run.plugin, 0, options))
		return -1;
	ptrace(PTRACE_CONT, run.plugin, 0, 0);
	run.tasks[0].pid = run.plugin;
	follow(&run);
	return 0;
}
