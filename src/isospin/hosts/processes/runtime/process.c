/* The life of processes. */
#define _GNU_SOURCE
#include "runtime.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

bool ignores_sigpipe;

void ends(int status) { tell(&(struct question){.kind = CALL_END, .args = {status}}); }

/* SOUND: two processes that share an open file share its position as well, which nobody here would see. */
static void refuse_open_files(void)
{
    for (int fd = 3; fd < CHANNEL; fd++)
        if (!is_simulated(fd) && syscall(SYS_fcntl, fd, F_GETFD) >= 0)
            outside("fork while a file is open");
}

/* No second process comes to be here: who answers has as many as are needed, and each goes one of the two ways. */
EXPORT pid_t fork(void)
{
    refuse_open_files();
    return (pid_t)ASK(CALL_FORK);
}

EXPORT pid_t getpid(void) { return (pid_t)ASK(CALL_GETPID); }

EXPORT pid_t getppid(void) { return (pid_t)ASK(CALL_GETPPID); }

EXPORT void _exit(int status) { ends((status & 0xff) << 8); }

EXPORT void _Exit(int status) { ends((status & 0xff) << 8); }

EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
    int32_t found = 0;
    if (options & ~WNOHANG)
        outside("waitpid with options other than WNOHANG");
    if (pid == 0 || pid < -1)
        outside("waitpid for a process group");
    struct question question = {.kind = CALL_WAIT, .args = {pid, options}, .out = &found, .room = sizeof found};
    pid_t result = (pid_t)ask(&question);
    if (result > 0 && status)
        give(status, &found, sizeof found);
    return result;
}

EXPORT pid_t wait(int *status) { return waitpid(-1, status, 0); }

EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    if (usage)
        outside("wait4 with resource usage");
    return waitpid(pid, status, options);
}

EXPORT pid_t wait3(int *status, int options, struct rusage *usage) { return wait4(-1, status, options, usage); }

EXPORT int kill(pid_t pid, int number)
{
    if (pid <= 0)
        outside("kill of a process group");
    if (number == SIGSTOP || number == SIGTSTP || number == SIGCONT || number == SIGTTIN || number == SIGTTOU)
        outside("kill with a signal that stops or continues");
    if (number < 0 || number > 64) {
        errno = EINVAL;
        return -1;
    }
    if (number == SIGCHLD || number == SIGURG || number == SIGWINCH)
        number = 0; /* nothing happens */
    return (int)ASK(CALL_KILL, pid, number);
}

EXPORT int raise(int number)
{
    if (number == SIGABRT)
        return (int)syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), number);
    return kill(getpid(), number);
}

EXPORT int pause(void) { return (int)ASK(CALL_PAUSE); }

/* Handlers would run at any moment; ignoring is possible where a signal can only come from the process itself. */
static void disposition(int number, bool ignores, bool standard)
{
    if (number == SIGPIPE && (ignores || standard))
        ignores_sigpipe = ignores;
    else if (!standard)
        outside("signal handlers");
}

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
    disposition(number, handler == SIG_IGN, handler == SIG_DFL);
    return SIG_DFL;
}

EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    if (action)
        disposition(number, action->sa_handler == SIG_IGN, action->sa_handler == SIG_DFL);
    if (old)
        memset(old, 0, sizeof *old);
    return 0;
}
