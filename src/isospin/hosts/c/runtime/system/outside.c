/* Calls that lead out of the process: they are not made, and the verdict says which one it was. */
#include "system/files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Also for futex.c. */
long refused(const char *name)
{
    if (running) {
        char why[160];
        snprintf(why, sizeof why, "the program calls %s, which is not under control: the call fails", name);
        learn_incomplete(why);
        now.unreal = true;
    }
    errno = ENOSYS;
    return -1;
}

#define REFUSES(name) \
    EXPORT long name(void) { return refused(#name); }

/* Arguments do not matter: they are left where the caller put them. */
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"
/* clang-format off */ /* macros one behind the other */
#define OUTSIDE_CALLS(_) \
    _(socket) _(socketpair) _(bind) _(listen) _(accept) _(accept4) _(connect) _(recv) _(recvfrom) _(recvmsg) _(send) \
    _(sendto) _(sendmsg) _(shutdown) _(pipe) _(pipe2) _(mkfifo) _(eventfd) _(epoll_create) _(epoll_create1) \
    _(epoll_wait) _(poll) _(ppoll) _(select) _(pselect) _(inotify_init) _(timerfd_create) _(signalfd) _(sigtimedwait) \
    _(msgget) _(semget) _(shmget) _(mq_open) _(shm_open) _(execve) _(execv) _(execvp) \
    _(execvpe) _(execl) _(execle) _(execlp) _(fexecve) _(execveat) _(clone) _(daemon) _(forkpty) _(closefrom) \
    _(close_range) _(sigqueue) _(posix_spawn) _(posix_spawnp) _(timer_create) _(setitimer) _(aio_read) _(aio_write) \
    _(mremap)
/* clang-format on */
OUTSIDE_CALLS(REFUSES)

EXPORT FILE *popen(const char *command, const char *mode)
{
    (void)command, (void)mode;
    refused("popen");
    return NULL;
}

EXPORT void *sem_open(void)
{
    refused("sem_open");
    return NULL;
}

/* ---------------------------------------------------------------- memory that a reset does not reach (by renames.txt)
 */

extern void *dlopen(const char *, int);

EXPORT void *isospin_dlopen(const char *name, int flags)
{
    if (running)
        learn_fork("the program loads libraries while it runs (dlopen)");
    hidden(hidden_number(ADDRESS_SPACE), true, HERE);
    return dlopen(name, flags);
}
