/* What would reach beyond the processes that are controlled: said, never done in silence. */
#define _GNU_SOURCE
#include "runtime.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* under another name here, since the headers know the real one with its arguments */
#define OUTSIDE(name) \
    EXPORT long outside_##name(void) __asm__(#name); \
    long outside_##name(void) { outside(#name); }

/* clang-format off */ /* macros one behind the other */
/* connections */
OUTSIDE(socket) OUTSIDE(socketpair) OUTSIDE(mkfifo) OUTSIDE(mknod) OUTSIDE(eventfd) OUTSIDE(poll) OUTSIDE(ppoll)
OUTSIDE(select) OUTSIDE(pselect) OUTSIDE(epoll_create) OUTSIDE(epoll_create1) OUTSIDE(splice) OUTSIDE(tee)
OUTSIDE(readv) OUTSIDE(writev) OUTSIDE(sendfile)
/* other programs and threads */
OUTSIDE(execve) OUTSIDE(execv) OUTSIDE(execvp) OUTSIDE(execl) OUTSIDE(execlp) OUTSIDE(execle) OUTSIDE(execvpe)
OUTSIDE(fexecve) OUTSIDE(system) OUTSIDE(popen) OUTSIDE(posix_spawn) OUTSIDE(posix_spawnp) OUTSIDE(vfork) OUTSIDE(clone)
OUTSIDE(pthread_create) OUTSIDE(thrd_create) OUTSIDE(daemon)
/* process-shared locks of pthreads, and waiting in the kernel */
OUTSIDE(pthread_mutexattr_setpshared) OUTSIDE(pthread_condattr_setpshared) OUTSIDE(pthread_rwlockattr_setpshared)
OUTSIDE(pthread_barrier_init)
/* signals and timers */
OUTSIDE(alarm) OUTSIDE(ualarm) OUTSIDE(setitimer) OUTSIDE(timer_create) OUTSIDE(timerfd_create) OUTSIDE(signalfd)
OUTSIDE(sigwait) OUTSIDE(sigwaitinfo) OUTSIDE(sigtimedwait) OUTSIDE(sigsuspend) OUTSIDE(sigqueue) OUTSIDE(killpg)
OUTSIDE(waitid) OUTSIDE(mq_notify) OUTSIDE(mq_setattr)
/* files that others can see */
OUTSIDE(flock) OUTSIDE(lockf) OUTSIDE(unlink) OUTSIDE(rename) OUTSIDE(mkdir) OUTSIDE(rmdir) OUTSIDE(link)
OUTSIDE(symlink) OUTSIDE(truncate) OUTSIDE(tmpfile) OUTSIDE(mkstemp) OUTSIDE(creat) OUTSIDE(remove) OUTSIDE(ptrace)
/* what is different in each run */
OUTSIDE(getrandom) OUTSIDE(getentropy) OUTSIDE(arc4random)
    /* clang-format on */

    static int open_file(const char *name, int flags, int mode)
{
    if ((flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC))
        outside("open of a file for writing");
    if (!strncmp(name, "/dev/", 5) && strcmp(name, "/dev/null") != 0)
        outside("open of a device");
    char spare[4096];
    size_t size = strlen(name) + 1;
    return (int)syscall(SYS_open, size > sizeof spare ? name : borrow(name, size, spare), flags, mode);
}

EXPORT int open(const char *name, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    int mode = va_arg(list, int);
    va_end(list);
    return open_file(name, flags, mode);
}

EXPORT int open64(const char *name, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    int mode = va_arg(list, int);
    va_end(list);
    return open_file(name, flags, mode);
}

static FILE *open_stream(const char *name, const char *mode)
{
    extern FILE *_IO_fdopen(int, const char *);
    if (mode[0] != 'r' || strchr(mode, '+'))
        outside("fopen of a file for writing");
    int fd = open_file(name, O_RDONLY, 0);
    return fd < 0 ? NULL : _IO_fdopen(fd, mode);
}

EXPORT FILE *fopen(const char *name, const char *mode) { return open_stream(name, mode); }

EXPORT FILE *fopen64(const char *name, const char *mode) { return open_stream(name, mode); }
