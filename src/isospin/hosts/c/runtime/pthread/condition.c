/* Condition variables.  Who waits is written in the threads' records (`waits_for`, `signalled`), not in a queue: POSIX
 * promises no order, and a set does not tell threads apart.  So a signal has as many outcomes as there are waiters.
 *
 * A wait is two operations: giving back the mutex and beginning to wait; then, woken, taking the mutex again. */
#include "pthread/sync.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

struct condition {
    uint32_t unheard; /* a signal or broadcast that found nobody */
    uint32_t destroyed;
    uint64_t unused[4];
    uint32_t more, clock_bits; /* glibc's own place of the clock */
};
_Static_assert(sizeof(struct condition) <= sizeof(pthread_cond_t), "fits");

enum { DESTROYED = 0x64656164 };

static struct condition *valid(pthread_cond_t *object, const char *what, const void *pc)
{
    struct condition *condition = (struct condition *)object;
    check_alive((uintptr_t)object, sizeof *object, true, pc);
    if (condition->destroyed == DESTROYED)
        fail("lock-misuse", pc, "%s a destroyed condition variable", what);
    return condition;
}

bool condition_unheard(const struct thread *thread)
{
    return thread->waits_for && thread->second && ((const struct condition *)thread->waits_for)->unheard;
}

/* ---------------------------------------------------------------- waiting */

static bool waits_at(const struct thread *thread, uintptr_t condition)
{
    return thread->life == LIVING && thread->waits_for == condition && !thread->signalled;
}

/* How a signal reached a thread.  LATE: it may have timed out before, and wait for its mutex only. */
enum heard { UNHEARD, HEARD, LATE };

static bool may_expire(const struct thread *thread)
{
    return thread->operation.kind == OP_TIMED_WAKE && thread->signalled != HEARD && may_time_out(thread);
}

static bool may_be_spurious(const struct thread *thread)
{
    return !thread->signalled && thread->spurious < program_options.spurious;
}

static bool may_wake(const struct thread *thread)
{
    bool woken = thread->signalled || may_be_spurious(thread) || may_expire(thread);
    return woken && mutex_free((const struct mutex *)thread->second, thread->self);
}

/* A time-out, or a wake-up with or without a signal: if both can be, the second choice is the time-out. */
static int ways_to_wake(const struct thread *thread)
{
    return may_expire(thread) && (thread->signalled || may_be_spurious(thread)) ? 2 : 1;
}

static void describe(enum operation_kind kind, pthread_cond_t *condition, pthread_mutex_t *mutex, void **entry)
{
    bool wakes = kind != OP_WAIT;
    struct operation *operation = pend(kind, entry);
    touch(operation, SYNC, (uintptr_t)condition, 1, true, wakes);
    touch(operation, SYNC, (uintptr_t)mutex, 1, true, wakes);
    current->object = (uintptr_t)condition;
    current->second = (uintptr_t)mutex;
}

/* Why it woke: 0, or ETIMEDOUT.  Order between threads comes from the mutex, not from the signal. */
static int wake(const struct timespec *until)
{
    bool expires = may_expire(current) && (ways_to_wake(current) == 1 || current->choice == 1);
    current->spurious += !expires && !current->signalled;
    current->waits_for = 0;
    current->signalled = UNHEARD;
    if (!expires)
        return 0;
    timed_out(until);
    return ETIMEDOUT;
}

/* POSIX: all who wait at the same time do so with the same mutex. */
static void check_mutex(pthread_cond_t *object, pthread_mutex_t *mutex, const void *pc)
{
    for (int i = 0; i < now.threads; i++)
        if (waits_at(thread_of(i), (uintptr_t)object) && thread_of(i)->second != (uintptr_t)mutex)
            fail("lock-misuse", pc, "waiting at a condition variable at which another thread waits with another mutex");
}

int condition_wait(pthread_cond_t *object, pthread_mutex_t *mutex, const struct timespec *until, void **entry)
{
    valid(object, "waiting at", entry[1]);
    if (until && !is_time(until))
        return EINVAL;
    describe(OP_WAIT, object, mutex, entry);
    perform();
    entry = current->entry;
    valid(object, "waiting at", entry[1]);
    check_mutex(object, mutex, entry[1]);
    uint32_t count;
    int error = mutex_give_wholly(mutex_valid(mutex, "waiting with", entry[1]), &count, entry[1]);
    if (error)
        return error;
    current->waits_for = (uintptr_t)object;
    if (until)
        note_time_outs();
    describe(until ? OP_TIMED_WAKE : OP_WAKE, object, mutex, entry);
    current->operation.waits = true;
    current->ready = may_wake;
    current->outcomes = ways_to_wake;
    perform();
    entry = current->entry;
    int result = wake(until);
    mutex_take_wholly(mutex_valid(mutex, "waiting with", entry[1]), count);
    return result;
}

EXPORT int pthread_cond_wait(pthread_cond_t *object, pthread_mutex_t *mutex)
{
    return condition_wait(object, mutex, NULL, HERE);
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *object, pthread_mutex_t *mutex, const struct timespec *until)
{
    void **entry = HERE;
    access_memory((uintptr_t)until, sizeof *until, false, entry);
    return condition_wait(object, mutex, until, entry);
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *object, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *until)
{
    (void)clock;
    void **entry = HERE;
    access_memory((uintptr_t)until, sizeof *until, false, entry);
    return condition_wait(object, mutex, until, entry);
}

/* ---------------------------------------------------------------- signalling */

static int waiters(uintptr_t condition)
{
    int count = 0;
    for (int i = 0; i < now.threads; i++)
        count += waits_at(thread_of(i), condition);
    return count;
}

int condition_woken(const struct thread *thread, int choice)
{
    for (int i = 0; i < now.threads; i++)
        if (waits_at(thread_of(i), thread->object) && choice-- == 0)
            return i;
    return -1;
}

static int which_waiter(const struct thread *thread)
{
    int count = waiters(thread->object);
    return count ? count : 1;
}

/* SOUND: a signal that comes when all who wait have timed out wakes nobody, and they find out only when they get the
 * mutex: then one of them took it and timed out all the same.  If somebody waits without a time-out, it is his. */
static enum heard as_heard(uintptr_t condition, enum operation_kind kind)
{
    for (int i = 0; i < now.threads && kind == OP_SIGNAL; i++)
        if (waits_at(thread_of(i), condition) && thread_of(i)->operation.kind != OP_TIMED_WAKE)
            return HEARD;
    return LATE;
}

static void wake_one(uintptr_t condition, int choice, enum heard how)
{
    for (int i = 0; i < now.threads; i++)
        if (waits_at(thread_of(i), condition) && choice-- == 0)
            thread_of(i)->signalled = thread_of(i)->operation.kind == OP_TIMED_WAKE ? (uint8_t)how : HEARD;
}

void condition_signal(pthread_cond_t *object, enum operation_kind kind, void **entry)
{
    const char *what = "signalling";
    valid(object, what, entry[1]);
    touch(pend(kind, entry), SYNC, (uintptr_t)object, 1, true, false);
    current->object = (uintptr_t)object;
    current->outcomes = kind == OP_SIGNAL ? which_waiter : NULL;
    int choice = perform();
    entry = current->entry;
    struct condition *condition = valid(object, what, entry[1]);
    int count = waiters((uintptr_t)object);
    enum heard how = as_heard((uintptr_t)object, kind);
    condition->unheard |= !count;
    if (kind == OP_SIGNAL)
        wake_one((uintptr_t)object, choice, how);
    else
        while (count--)
            wake_one((uintptr_t)object, 0, how);
}

EXPORT int pthread_cond_signal(pthread_cond_t *object)
{
    condition_signal(object, OP_SIGNAL, HERE);
    return 0;
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *object)
{
    condition_signal(object, OP_BROADCAST, HERE);
    return 0;
}

/* ---------------------------------------------------------------- beginning and end */

int condition_init(pthread_cond_t *object, void **entry)
{
    check_alive((uintptr_t)object, sizeof *object, true, entry[1]);
    perform_on(OP_INITIALISE, object, entry);
    memset(object, 0, sizeof *object);
    return 0;
}

int condition_destroy(pthread_cond_t *object, void **entry)
{
    perform_on(OP_DESTROY, object, entry);
    entry = current->entry;
    struct condition *condition = valid(object, "destroying", entry[1]);
    if (waiters((uintptr_t)object))
        fail("lock-misuse", entry[1], "destroying a condition variable at which threads wait");
    condition->destroyed = DESTROYED;
    return 0;
}

EXPORT int pthread_cond_init(pthread_cond_t *object, const pthread_condattr_t *attributes)
{
    (void)attributes; /* clocks are virtual, and there is one process */
    return condition_init(object, HERE);
}

EXPORT int pthread_cond_destroy(pthread_cond_t *object) { return condition_destroy(object, HERE); }
