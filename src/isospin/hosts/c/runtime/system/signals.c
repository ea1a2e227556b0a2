/* Signals.  None comes from outside, so what counts is what the program sends to itself.
 *
 * That a signal is ignored, or does what it does by default, is written down here, and the kernel is not asked: it is
 * put back before each execution with all that is in `now`.  A handler is the kernel's affair, which a reset does not
 * reach: a program that has one gets a process for each execution.  Crashes stay ours, whatever the program wants to do
 * then.
 */
#include "libc/announce.h"
#include "pthread/sync.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

long refused(const char *name); /* outside.c */

enum disposition { BY_DEFAULT, IGNORED, HANDLED };

static bool is_signal(int number) { return number > 0 && number < MOST_SIGNALS; }

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

/* ---------------------------------------------------------------- signals that are sent */

static int invalid(void)
{
    errno = EINVAL;
    return -1;
}

static int tell_kernel(int number, const struct sigaction *action, struct sigaction *old)
{
    static int (*real)(int, const struct sigaction *, struct sigaction *);
    if (!real)
        real = next_function("sigaction");
    return real(number, action, old);
}

/* SOUND: not by the kernel, which knows one thread only: while one of ours is in a handler, signals of others would be
 * held back, and come to whoever runs then. */
static void call_handler(int number)
{
    struct sigaction action;
    siginfo_t about = {.si_signo = number, .si_code = SI_TKILL};
    ucontext_t context = {0};
    thread_set own = (thread_set)1 << current->number;
    tell_kernel(number, NULL, &action);
    if (now.handling & own)
        learn_incomplete("a signal handler sends a signal: it is not held back");
    now.handling |= own;
    if (action.sa_flags & (int)SA_RESETHAND)
        now.dispositions[number] = BY_DEFAULT;
    if (action.sa_flags & SA_SIGINFO)
        action.sa_sigaction(number, &about, &context);
    else
        action.sa_handler(number);
    now.handling &= ~own;
}

static int signal_itself(int number, void **entry)
{
    if (number && !is_signal(number))
        return invalid();
    hidden(hidden_number(SIGNALS), false, entry);
    if (now.masked && number)
        learn_incomplete("the program sends itself a signal, and has blocked some: it is not held back");
    enum disposition wanted = now.dispositions[number];
    if (wanted == IGNORED || (wanted == BY_DEFAULT && is_nothing(number)))
        return 0;
    if (is_crash(number))
        fail("crash", entry[1], "signal %d was raised", number);
    if (wanted == BY_DEFAULT && is_stop(number)) {
        learn_incomplete("the program stops itself by a signal: it is not stopped");
        return 0;
    }
    if (wanted == BY_DEFAULT)
        fail("crash", entry[1], "signal %d ends the program", number);
    call_handler(number);
    return 0;
}

EXPORT int raise(int number) { return signal_itself(number, HERE); }

/* It is alone in its group. */
static int send_to(pid_t pid, int number, void **entry)
{
    if (!running)
        return (int)syscall(SYS_kill, pid, number);
    if (pid == 0 || pid == syscall(SYS_getpid) || pid == -syscall(SYS_getpgid, 0))
        return signal_itself(number, entry);
    return (int)refused("kill");
}

EXPORT int kill(pid_t pid, int number) { return send_to(pid, number, HERE); }

EXPORT int killpg(pid_t group, int number) { return send_to(-group, number, HERE); }

/* ---------------------------------------------------------------- signals that a thread waits for */

/* Whoever runs a program, and its clocks, may send these. */
static const int from_outside[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2};
enum { FROM_OUTSIDE = sizeof from_outside / sizeof *from_outside };

/* The signal of this number among those of the set that are tried; 0: it has not so many. */
static int awaited(const sigset_t *set, int number)
{
    for (int i = 0; i < FROM_OUTSIDE; i++)
        if (sigismember(set, from_outside[i]) == 1 && number-- == 0)
            return from_outside[i];
    return 0;
}

static int count_awaited(const sigset_t *set)
{
    int count = 0;
    while (awaited(set, count))
        count++;
    return count;
}

static bool has_others(const sigset_t *set)
{
    int count = 0;
    for (int i = 1; i < MOST_SIGNALS; i++)
        count += i != SIGKILL && i != SIGSTOP && sigismember(set, i) == 1;
    return count > count_awaited(set);
}

static void wait_for_ever(const char *why, void **entry)
{
    learn_incomplete(why);
    pend(OP_SLEEP, entry);
    stand_still();
    perform();
}

/* SOUND: each signal may come at any time.  As many as there are time-outs do; then the thread waits for ever, and what
 * it would do is left out. */
static int wait_for_signal(const sigset_t *set, void **entry)
{
    READS(set, sizeof *set);
    if (has_others(set))
        learn_incomplete("a thread waits for signals that are not tried (sigwait)");
    if (!count_awaited(set) || !may_time_out(current))
        wait_for_ever("a thread waits for more signals than were tried (--time-outs)", entry);
    current->time_outs++;
    pend(OP_TOSS, entry);
    current->chosen = count_awaited(set);
    return awaited(set, perform());
}

EXPORT int sigwait(const sigset_t *restrict set, int *restrict number)
{
    void **entry = HERE;
    int came = wait_for_signal(set, entry);
    WRITES(number, sizeof *number);
    *number = came;
    return 0;
}

EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict more)
{
    void **entry = HERE;
    int came = wait_for_signal(set, entry);
    if (more) {
        WRITES(more, sizeof *more);
        *more = (siginfo_t){.si_signo = came};
    }
    return came;
}

/* These go on after a handler has run, and none runs. */
EXPORT int pause(void)
{
    wait_for_ever("a thread waits for a handler to be run (pause)", HERE);
    return -1;
}

EXPORT int sigsuspend(const sigset_t *set)
{
    (void)set;
    wait_for_ever("a thread waits for a handler to be run (sigsuspend)", HERE);
    return -1;
}

/* ---------------------------------------------------------------- what is to happen then */

static enum disposition disposition_of(const struct sigaction *action)
{
    return action->sa_handler == SIG_DFL ? BY_DEFAULT : action->sa_handler == SIG_IGN ? IGNORED : HANDLED;
}

/* SOUND: only of handlers does the kernel know. */
static int dispose(int number, const struct sigaction *action, struct sigaction *old)
{
    bool was_handled = now.dispositions[number] == HANDLED;
    if (old && !was_handled)
        *old = (struct sigaction){.sa_handler = now.dispositions[number] == IGNORED ? SIG_IGN : SIG_DFL};
    if (old && was_handled)
        tell_kernel(number, NULL, old);
    if (!action)
        return 0;
    if (number == SIGKILL || number == SIGSTOP)
        return invalid();
    now.dispositions[number] = (uint8_t)disposition_of(action);
    if (now.dispositions[number] == HANDLED)
        learn_fork("the program sets signal handlers");
    return was_handled || now.dispositions[number] == HANDLED ? tell_kernel(number, action, NULL) : 0;
}

/* Of a crash it is only written down that it is ignored when it is raised. */
static int dispose_of_crash(int number, const struct sigaction *action, struct sigaction *old)
{
    if (old)
        *old = (struct sigaction){.sa_handler = now.dispositions[number] == IGNORED ? SIG_IGN : SIG_DFL};
    if (action)
        now.dispositions[number] = disposition_of(action) == IGNORED ? IGNORED : BY_DEFAULT;
    return 0;
}

static int change_action(int number, const struct sigaction *action, struct sigaction *old, void **entry)
{
    if (!running)
        return tell_kernel(number, action, old);
    if (!is_signal(number))
        return invalid();
    hidden(hidden_number(SIGNALS), action != NULL, entry);
    return is_crash(number) ? dispose_of_crash(number, action, old) : dispose(number, action, old);
}

EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    void **entry = HERE;
    if (action)
        READS(action, sizeof *action);
    if (old)
        WRITES(old, sizeof *old);
    return change_action(number, action, old, entry);
}

EXPORT __sighandler_t signal(int number, __sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old = {.sa_handler = SIG_DFL};
    return change_action(number, &action, &old, HERE) ? SIG_ERR : old.sa_handler;
}

/* ---------------------------------------------------------------- masks: what comes from outside does not come */

static void mask(int how, const sigset_t *set, sigset_t *old, void **entry)
{
    if (set)
        READS(set, sizeof *set);
    now.masked |= set && how != SIG_UNBLOCK && !sigisemptyset(set);
    if (!old)
        return;
    WRITES(old, sizeof *old);
    sigemptyset(old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    mask(how, set, old, HERE);
    return 0;
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    mask(how, set, old, HERE);
    return 0;
}
