/* Functions of libc that end a thread's way: assertions, abort, exit. */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

EXPORT void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)
{
    fail("assertion", HERE[1], "assertion `%s` failed in %s (%s:%u)", expression, function ? function : "?", file,
         line);
}

EXPORT void abort(void) { fail("crash", HERE[1], "abort was called"); }

EXPORT void isospin_assert_failed(const char *expression, const char *file, unsigned line)
{
    fail("assertion", HERE[1], "assertion `%s` failed (%s:%u)", expression, file, line);
}

EXPORT int isospin_toss(int outcomes)
{
    void **entry = HERE;
    if (outcomes < 1)
        fail("crash", entry[1], "isospin_toss(%d): there is no outcome", outcomes);
    pend(OP_TOSS, entry);
    current->chosen = outcomes;
    return perform();
}

/* ---------------------------------------------------------------- the end of the process */

EXPORT int __cxa_atexit(void (*function)(void *), void *argument, void *module)
{
    (void)module;
    now.at_exit = late_add(now.at_exit, function, argument);
    return 0;
}

EXPORT int __cxa_thread_atexit_impl(void (*function)(void *), void *argument, void *module)
{
    (void)module;
    current->late = late_add(current->late, function, argument);
    return 0;
}

/* Whoever runs it, such as make or a test runner, takes every other status than 0 for a failure. */
static _Noreturn void end_with(int status, void *frame, const void *pc, void **entry)
{
    if (status & 255)
        fail_from("exception", frame, pc, "the program ends with status %d", status & 255);
    process_end(entry);
}

void process_exit(int status, void *frame, const void *pc, void **entry)
{
    settle(entry);
    run_late(&current->late);
    run_late(&now.at_exit);
    fflush(NULL);
    end_with(status, frame, pc, entry);
}

EXPORT void exit(int status)
{
    void **entry = HERE;
    if (!running)
        _exit(status);
    process_exit(status, entry[0], entry[1], entry);
}

static _Noreturn void end_at_once(int status, void **entry)
{
    if (running)
        end_with(status, entry[0], entry[1], entry);
    for (;;)
        syscall(SYS_exit_group, status);
}

EXPORT void _Exit(int status) { end_at_once(status, HERE); }

EXPORT void quick_exit(int status) { end_at_once(status, HERE); }

EXPORT void _exit(int status) { end_at_once(status, HERE); }
