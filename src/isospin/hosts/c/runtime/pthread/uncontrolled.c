/* Functions about threads and processes that need no control of ours, or that cannot be had.
 *
 * pthread_t is ours, so whatever takes one must be ours too.  What is not supported says so: the verdict is incomplete.
 */
#include "libc/announce.h"
#include "pthread/sync.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int known(pthread_t self) { return thread_named(self) ? 0 : ESRCH; }

static int unsupported(const char *what)
{
    if (running)
        learn_incomplete(what);
    return ENOSYS;
}

/* SOUND: it never fails in reality, so what would come next is none of the program's doing: the thread stands still. */
static int not_done_to(pthread_t self, const char *what, void **entry)
{
    struct thread *other = thread_named(self);
    if (!other)
        return ESRCH;
    touch(pend(OP_READ, entry), ENDS, (uintptr_t)other->number, 1, false, false);
    perform();
    if (other->life == ENDED)
        return 0;
    learn_incomplete_at(what);
    pend(OP_YIELD, current->entry);
    stand_still();
    perform();
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
    void **entry = HERE;
    unsupported("pthread_getname_np gives no name: those of threads are not kept");
    WRITES(name, size != 0);
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
    void **entry = HERE;
    WRITES(policy, sizeof *policy);
    WRITES(parameters, sizeof *parameters);
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
    void **entry = HERE;
    WRITES(set, size);
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

/* ---------------------------------------------------------------- cancellation, alarms */

EXPORT int pthread_cancel(pthread_t self)
{
    return not_done_to(self, "pthread_cancel is not supported: nothing behind it is explored", HERE);
}

/* Nobody is cancelled, so it makes no difference when it could be. */
static int set_cancelling(int by_default, int *old, void **entry)
{
    if (old) {
        WRITES(old, sizeof *old);
        *old = by_default;
    }
    return 0;
}

EXPORT int pthread_setcancelstate(int state, int *old)
{
    (void)state;
    return set_cancelling(PTHREAD_CANCEL_ENABLE, old, HERE);
}

EXPORT int pthread_setcanceltype(int type, int *old)
{
    (void)type;
    return set_cancelling(PTHREAD_CANCEL_DEFERRED, old, HERE);
}

EXPORT void pthread_testcancel(void) {}

EXPORT int pthread_kill(pthread_t self, int number)
{
    int error = known(self);
    if (error || number == 0)
        return error;
    return not_done_to(self, "pthread_kill is not supported: nothing behind it is explored", HERE);
}

EXPORT unsigned alarm(unsigned seconds)
{
    (void)seconds;
    unsupported("alarm is not supported: its signal never comes");
    now.unreal = true;
    return 0;
}

/* ---------------------------------------------------------------- processes */

static pid_t no_process(const char *what)
{
    if (!running)
        broken(what);
    learn_incomplete(what);
    now.unreal = true;
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
