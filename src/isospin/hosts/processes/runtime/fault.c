/* What ends a process against its will: signals of the processor, abort, loops without end, failed assertions. */
#define _GNU_SOURCE
#include "runtime.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static char own_stack[1 << 16];

static void report(const char *kind, int signal, void *address, ucontext_t *context)
{
    flushing = false;
    place = program_place((void *)context->uc_mcontext.gregs[REG_RIP], (void *)context->uc_mcontext.gregs[REG_RSP]);
    tell(&(struct question){.kind = kind, .args = {signal, (int64_t)address}});
}

void on_crash(int signal, siginfo_t *info, void *context) { report(CALL_CRASH, signal, info->si_addr, context); }

static void on_time(int signal, siginfo_t *info, void *context)
{
    (void)info;
    report(CALL_DIVERGE, signal, NULL, context);
}

void handle(int signal, handler *handler)
{
    extern int __sigaction(int, const struct sigaction *, struct sigaction *); /* the system's, not ours */
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (handler)
        action.sa_sigaction = handler;
    else
        action.sa_handler = SIG_IGN, action.sa_flags = 0;
    __sigaction(signal, &action, NULL);
}

void fault_start(void)
{
    stack_t stack = {.ss_sp = own_stack, .ss_size = sizeof own_stack};
    sigaltstack(&stack, NULL);
    handle(SIGFPE, on_crash);
    handle(SIGILL, on_crash);
    handle(SIGABRT, on_crash);
    handle(SIGPROF, on_time);
}

static _Noreturn void failed(const char *text)
{
    tell(&(struct question){.kind = CALL_ASSERT, .data = text, .size = (uint32_t)strlen(text)});
}

EXPORT _Noreturn void __assert_fail(const char *text, const char *file, unsigned line, const char *function)
{
    (void)file, (void)line, (void)function;
    failed(text);
}

EXPORT _Noreturn void isospin_assert_failed(const char *text, const char *file, unsigned line)
{
    (void)file, (void)line;
    failed(text);
}

EXPORT int isospin_toss(int n)
{
    if (n < 1)
        failed("isospin_toss(n) needs n > 0");
    return n == 1 ? 0 : (int)ASK(CALL_TOSS, n);
}
