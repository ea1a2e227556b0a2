/* Functions of libc that end a thread's way: assertions, abort, exit. */
#include "runtime.h"

#include <link.h>
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

/* With the status of the process, which is not known before. */
struct with_status {
    void (*function)(int, void *);
    void *argument;
};
static int status_of_process;

static void run_with_status(void *given)
{
    const struct with_status *late = given;
    late->function(status_of_process, late->argument);
}

EXPORT int on_exit(void (*function)(int, void *), void *argument)
{
    struct with_status *late = allocate(sizeof *late, 16, NULL);
    *late = (struct with_status){function, argument};
    now.at_exit = late_add(now.at_exit, run_with_status, late);
    return 0;
}

EXPORT int __cxa_at_quick_exit(void (*function)(void *), void *module)
{
    (void)module;
    now.at_quick_exit = late_add(now.at_quick_exit, function, NULL);
    return 0;
}

/* Functions that the linker has put together: __attribute__((destructor)). */
struct destructors {
    void (**functions)(void);
    size_t count;
};

/* Those of the program; it is the first one that is told. */
static int find_destructors(struct dl_phdr_info *program, size_t size, void *context)
{
    struct destructors *found = context;
    const ElfW(Dyn) *entry = NULL;
    (void)size;
    for (int i = 0; i < program->dlpi_phnum; i++)
        if (program->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (void *)(program->dlpi_addr + program->dlpi_phdr[i].p_vaddr);
    for (; entry && entry->d_tag; entry++) {
        if (entry->d_tag == DT_FINI_ARRAY)
            found->functions = (void *)(program->dlpi_addr + entry->d_un.d_ptr);
        if (entry->d_tag == DT_FINI_ARRAYSZ)
            found->count = entry->d_un.d_val / sizeof *found->functions;
    }
    return 1;
}

/* The last one first. */
static void run_destructors(void)
{
    struct destructors found = {0};
    dl_iterate_phdr(find_destructors, &found);
    while (found.functions && found.count--)
        found.functions[found.count]();
}

/* Whoever runs it, such as make or a test runner, takes every other status than 0 for a failure. */
static _Noreturn void end_with(int status, void *frame, const void *pc, void **entry)
{
    if (status & 255 && !now.unreal)
        fail_from("exception", frame, pc, "the program ends with status %d", status & 255);
    process_end(entry);
}

void process_exit(int status, void *frame, const void *pc, void **entry)
{
    settle(entry);
    status_of_process = status;
    run_late(&current->late);
    run_late(&now.at_exit);
    run_destructors();
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

EXPORT void quick_exit(int status)
{
    void **entry = HERE;
    if (running) {
        settle(entry);
        run_late(&now.at_quick_exit);
    }
    end_at_once(status, entry);
}

EXPORT void _exit(int status) { end_at_once(status, HERE); }
