/* Functions about threads and signals that need no control of ours, or that cannot be had.
 *
 * pthread_t is ours, so whatever takes one must be ours too.  What is not supported says so: the verdict is incomplete.
 */
#include "pthread/sync.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

long refused(const char *name); /* outside.c */

static int known(pthread_t self) { return thread_named(self) ? 0 : ESRCH; }

static int unsupported(const char *what)
{
    if (running)
        learn_incomplete(what);
    return ENOSYS;
}

/* ---------------------------------------------------------------- names and scheduling: no effect on what happens */

EXPORT int pthread_setname_np(pthread_t self, const char *name)
{
    (void)name;
    return known(self);
}

EXPORT int pthread_getname_np(pthread_t self, char *name, size_t size)
{
    if (size)
        *name = 0;
    return known(self);
}

EXPORT int pthread_setschedparam(pthread_t self, int policy, const struct sched_param *parameters)
{
    (void)policy, (void)parameters;
    return known(self);
}

EXPORT int pthread_getschedparam(pthread_t self, int *policy, struct sched_param *parameters)
{
    *policy = SCHED_OTHER;
    *parameters = (struct sched_param){0};
    return known(self);
}

EXPORT int pthread_setschedprio(pthread_t self, int priority)
{
    (void)priority;
    return known(self);
}

EXPORT int pthread_setaffinity_np(pthread_t self, size_t size, const cpu_set_t *set)
{
    (void)size, (void)set;
    return known(self);
}

EXPORT int pthread_getaffinity_np(pthread_t self, size_t size, cpu_set_t *set)
{
    memset(set, 0, size);
    CPU_SET(0, set);
    return known(self);
}

EXPORT int pthread_getattr_np(pthread_t self, pthread_attr_t *attributes)
{
    pthread_attr_init(attributes);
    pthread_attr_setstack(attributes, (void *)(self + STACK_FROM), STACK_SIZE);
    return known(self);
}

EXPORT int pthread_getcpuclockid(pthread_t self, clockid_t *clock)
{
    *clock = CLOCK_THREAD_CPUTIME_ID;
    return known(self);
}

EXPORT pid_t gettid(void) { return current->number + 1; }

/* ---------------------------------------------------------------- more ways to join */

EXPORT int pthread_tryjoin_np(pthread_t self, void **result)
{
    void **entry = HERE;
    struct thread *other = thread_named(self);
    if (!other || other->detached || other->joined)
        return other ? EINVAL : ESRCH;
    touch(pend(OP_READ, entry), ENDS, (uintptr_t)other->number, 1, false, false);
    perform();
    return other->life == ENDED && !other->leaves ? thread_join(self, result, true, entry) : EBUSY;
}

EXPORT int pthread_timedjoin_np(pthread_t self, void **result, const struct timespec *until)
{
    (void)until;
    unsupported("pthread_timedjoin_np waits until the thread has ended, without a time-out");
    return thread_join(self, result, true, HERE);
}

/* ---------------------------------------------------------------- cancellation and signals */

EXPORT int pthread_cancel(pthread_t self)
{
    (void)self;
    return unsupported("pthread_cancel is not supported: it fails");
}

static bool is_crash(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGTRAP ||
           number == SIGABRT || number == SIGVTALRM;
}

static bool is_stop(int number)
{
    return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

static bool is_nothing(int number)
{
    return number == 0 || number == SIGCHLD || number == SIGURG || number == SIGWINCH || number == SIGCONT;
}

/* What the program wants to happen; where it says something each execution has a process of its own. */
enum disposition { BY_DEFAULT, IGNORED, HANDLED };
static uint8_t dispositions[65];

/* A signal that the program sends to itself. */
static int signal_itself(int number, const void *pc)
{
    if (number < 0 || number > 64) {
        errno = EINVAL;
        return -1;
    }
    enum disposition wanted = number == SIGKILL || number == SIGSTOP ? BY_DEFAULT : dispositions[number];
    if (is_crash(number))
        fail("crash", pc, "signal %d was raised", number);
    if (wanted == IGNORED || (wanted == BY_DEFAULT && is_nothing(number)))
        return 0;
    if (wanted == BY_DEFAULT && is_stop(number)) {
        unsupported("the program stops itself by a signal: it is not stopped");
        return 0;
    }
    if (wanted == BY_DEFAULT)
        fail("crash", pc, "signal %d ends the program", number);
    return syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), number) ? -1 : 0;
}

EXPORT int raise(int number) { return signal_itself(number, HERE[1]); }

/* It is alone in its group. */
EXPORT int kill(pid_t pid, int number)
{
    if (!running)
        return (int)syscall(SYS_kill, pid, number);
    if (pid == 0 || pid == syscall(SYS_getpid) || pid == -syscall(SYS_getpgid, 0))
        return signal_itself(number, HERE[1]);
    return (int)refused("kill");
}

EXPORT int killpg(pid_t group, int number) { return kill(-group, number); }

EXPORT int pthread_kill(pthread_t self, int number)
{
    int error = known(self);
    if (error || number == 0)
        return error;
    return unsupported("pthread_kill is not supported: it fails");
}

/* Handlers are kept by the kernel, which a reset does not reach.  Those of crashes stay ours. */
EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    static int (*real)(int, const struct sigaction *, struct sigaction *);
    if (running && is_crash(number))
        return 0;
    if (running && action && number > 0 && number <= 64) {
        learn_fork("the program sets signal handlers");
        dispositions[number] = action->sa_handler == SIG_DFL   ? BY_DEFAULT
                               : action->sa_handler == SIG_IGN ? IGNORED
                                                               : HANDLED;
    }
    if (!real)
        real = next_function("sigaction");
    return real(number, action, old);
}

EXPORT __sighandler_t signal(int number, __sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old = {.sa_handler = SIG_DFL};
    return sigaction(number, &action, &old) ? SIG_ERR : old.sa_handler;
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    (void)how, (void)set; /* no signal comes from outside */
    if (old)
        sigemptyset(old);
    return 0;
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    (void)how, (void)set;
    if (old)
        sigemptyset(old);
    return 0;
}

EXPORT unsigned alarm(unsigned seconds)
{
    (void)seconds;
    unsupported("alarm is not supported: its signal never comes");
    return 0;
}

/* ---------------------------------------------------------------- processes */

static pid_t no_process(const char *what)
{
    if (!running)
        broken(what);
    learn_incomplete(what);
    errno = ENOSYS;
    return -1;
}

EXPORT pid_t fork(void)
{
    return running ? no_process("the program forks: check it as a program of processes") : (pid_t)syscall(SYS_fork);
}

EXPORT pid_t vfork(void) { return no_process("the program forks: check it as a program of processes"); }

EXPORT int system(const char *command)
{
    (void)command;
    return (int)no_process("the program calls system, which is not run");
}
