/* Mutexes.  The state is in the user's object; `kind` is where glibc's static initialisers put it. */
#include "pthread/sync.h"

#include <errno.h>
#include <string.h>

struct mutex {
    uintptr_t owner; /* the region of the thread that holds it, or 0 */
    uint32_t count;
    uint32_t tried; /* somebody asked for it without waiting */
    int32_t kind; /* PTHREAD_MUTEX_*, perhaps with flags of the attributes */
    uint32_t destroyed;
};
_Static_assert(offsetof(struct mutex, kind) == offsetof(pthread_mutex_t, __data.__kind), "static initialisers");

enum { KIND_BITS = 3, DESTROYED = 0x64656164 };

static int kind_of(const struct mutex *mutex) { return mutex->kind & KIND_BITS; }

struct mutex *mutex_valid(pthread_mutex_t *object, const char *what, const void *pc)
{
    struct mutex *mutex = (struct mutex *)object;
    check_alive((uintptr_t)object, sizeof(pthread_mutex_t), true, pc);
    if (mutex->destroyed == DESTROYED)
        fail("lock-misuse", pc, "%s of a destroyed mutex", what);
    return mutex;
}

bool mutex_free(const struct mutex *mutex, uintptr_t self)
{
    return !mutex->owner || (mutex->owner == self && kind_of(mutex) != PTHREAD_MUTEX_NORMAL &&
                             kind_of(mutex) != PTHREAD_MUTEX_ADAPTIVE_NP);
}

static bool can_lock(const struct thread *thread)
{
    return mutex_free((const struct mutex *)thread->object, thread->self);
}

/* Take a mutex that is free, or once more one that is ours. */
static int take(struct mutex *mutex)
{
    if (mutex->owner == current->self) {
        if (kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK)
            return EDEADLK;
        mutex->count++;
        current->held++;
        return 0;
    }
    current->held++;
    mutex->owner = current->self;
    mutex->count = 1;
    acquired(mutex);
    locked(mutex);
    return 0;
}

/* Give it back once. */
static int give(struct mutex *mutex, const char *what, const void *pc)
{
    if (mutex->owner != current->self) {
        if (kind_of(mutex) != PTHREAD_MUTEX_NORMAL && kind_of(mutex) != PTHREAD_MUTEX_ADAPTIVE_NP)
            return EPERM;
        fail("lock-misuse", pc,
             mutex->owner ? "%s of a mutex that another thread holds" : "%s of a mutex that is not held", what);
    }
    current->held--;
    spin_unlocked();
    if (--mutex->count == 0) {
        mutex->owner = 0;
        released(mutex);
        unlocked(mutex);
    }
    return 0;
}

int mutex_give_wholly(struct mutex *mutex, uint32_t *count, const void *pc)
{
    *count = mutex->count;
    if (mutex->owner == current->self)
        mutex->count = 1;
    return give(mutex, "waiting with (and giving back)", pc);
}

void mutex_take_wholly(struct mutex *mutex, uint32_t count)
{
    take(mutex);
    mutex->count = count;
}

int mutex_init(pthread_mutex_t *object, int kind, void **entry)
{
    check_alive((uintptr_t)object, sizeof *object, true, entry[1]);
    perform_on(OP_INITIALISE, object, entry);
    memset(object, 0, sizeof *object);
    object->__data.__kind = kind;
    return 0;
}

int mutex_destroy(pthread_mutex_t *object, void **entry)
{
    perform_on(OP_DESTROY, object, entry);
    entry = current->entry;
    struct mutex *mutex = mutex_valid(object, "destroying", entry[1]);
    if (mutex->owner)
        fail("lock-misuse", entry[1], "destroying a mutex that is held");
    mutex->destroyed = DESTROYED;
    return 0;
}

int mutex_lock(pthread_mutex_t *object, void **entry)
{
    mutex_valid(object, "locking", entry[1]);
    struct operation *operation = pend(OP_LOCK, entry);
    touch(operation, SYNC, (uintptr_t)object, 1, true, true);
    operation->waits = true;
    current->object = (uintptr_t)object;
    current->ready = can_lock;
    perform_reading(entry);
    entry = current->entry;
    spin_locked(object);
    return take(mutex_valid(object, "locking", entry[1]));
}

bool mutex_tried(const void *object) { return ((const struct mutex *)object)->tried; }

static void tries(struct mutex *mutex)
{
    mutex->tried = true;
    spin_tried(mutex);
}

int mutex_trylock(pthread_mutex_t *object, void **entry)
{
    mutex_valid(object, "locking", entry[1]);
    touch(pend(OP_TRYLOCK, entry), SYNC, (uintptr_t)object, 1, true, false);
    perform_reading(entry);
    entry = current->entry;
    struct mutex *mutex = mutex_valid(object, "locking", entry[1]);
    tries(mutex);
    if (mutex->owner && (mutex->owner != current->self || kind_of(mutex) != PTHREAD_MUTEX_RECURSIVE)) {
        spin_read((uintptr_t)&mutex->owner, sizeof mutex->owner, SYNC);
        return EBUSY;
    }
    spin_effect();
    return take(mutex);
}

int mutex_unlock(pthread_mutex_t *object, void **entry)
{
    mutex_valid(object, "unlocking", entry[1]);
    perform_on(OP_UNLOCK, object, entry);
    entry = current->entry;
    return give(mutex_valid(object, "unlocking", entry[1]), "unlocking", entry[1]);
}

/* ---------------------------------------------------------------- with a time-out */

static bool can_lock_or_not(const struct thread *thread) { return can_lock(thread) || may_time_out(thread); }

/* Not taken at once: it may be taken later, or never. */
int mutex_lock_timed(pthread_mutex_t *object, const struct timespec *until, void **entry)
{
    access_memory((uintptr_t)until, sizeof *until, false, entry);
    mutex_valid(object, "locking", entry[1]);
    if (!is_time(until)) {
        int error = mutex_trylock(object, entry);
        return error == EBUSY ? EINVAL : error;
    }
    note_time_outs();
    perform_waiting(OP_TIMEDLOCK, object, can_lock_or_not, entry);
    entry = current->entry;
    struct mutex *mutex = mutex_valid(object, "locking", entry[1]);
    tries(mutex);
    if (mutex_free(mutex, current->self))
        return take(mutex);
    timed_out(until);
    return ETIMEDOUT;
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *object, const struct timespec *until)
{
    return mutex_lock_timed(object, until, HERE);
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *object, clockid_t clock, const struct timespec *until)
{
    (void)clock;
    return mutex_lock_timed(object, until, HERE);
}

/* ---------------------------------------------------------------- the names of POSIX */

EXPORT int pthread_mutex_init(pthread_mutex_t *object, const pthread_mutexattr_t *attributes)
{
    int kind = PTHREAD_MUTEX_NORMAL, robust = PTHREAD_MUTEX_STALLED, protocol = PTHREAD_PRIO_NONE;
    if (attributes) {
        pthread_mutexattr_gettype(attributes, &kind);
        pthread_mutexattr_getrobust(attributes, &robust);
        pthread_mutexattr_getprotocol(attributes, &protocol);
    }
    if (running && robust != PTHREAD_MUTEX_STALLED) {
        learn_incomplete("a robust mutex is taken for a plain one: the end of its owner is not noticed");
        now.unreal = true;
    }
    if (running && protocol == PTHREAD_PRIO_PROTECT)
        learn_incomplete("a mutex with a priority ceiling is taken for a plain one");
    return mutex_init(object, kind, HERE);
}

EXPORT int pthread_mutex_destroy(pthread_mutex_t *object) { return mutex_destroy(object, HERE); }

EXPORT int pthread_mutex_lock(pthread_mutex_t *object) { return mutex_lock(object, HERE); }

EXPORT int pthread_mutex_trylock(pthread_mutex_t *object) { return mutex_trylock(object, HERE); }

EXPORT int pthread_mutex_unlock(pthread_mutex_t *object) { return mutex_unlock(object, HERE); }
