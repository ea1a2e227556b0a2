/* Read-write locks.  Readers only count, so they commute: to the exploration they read the lock, and writers write it.
 */
#include "pthread/sync.h"

#include <errno.h>
#include <string.h>

struct rwlock {
    uintptr_t writer; /* the region of the thread that writes, or 0 */
    uint32_t readers;
    uint32_t destroyed;
};
_Static_assert(sizeof(struct rwlock) <= sizeof(pthread_rwlock_t), "fits");

enum { DESTROYED = 0x64656164 };

static struct rwlock *valid(pthread_rwlock_t *object, const char *what, const void *pc)
{
    struct rwlock *lock = (struct rwlock *)object;
    check_alive((uintptr_t)object, sizeof *object, true, pc);
    if (lock->destroyed == DESTROYED)
        fail("lock-misuse", pc, "%s of a destroyed read-write lock", what);
    return lock;
}

static bool can_read(const struct thread *thread) { return !((const struct rwlock *)thread->object)->writer; }

static bool can_write(const struct thread *thread)
{
    const struct rwlock *lock = (const struct rwlock *)thread->object;
    return !lock->writer && !lock->readers;
}

static bool can_read_or_not(const struct thread *thread) { return can_read(thread) || may_time_out(thread); }

static bool can_write_or_not(const struct thread *thread) { return can_write(thread) || may_time_out(thread); }

static void describe(enum operation_kind kind, pthread_rwlock_t *object, bool writes, bool waits, void **entry)
{
    struct operation *operation = pend(kind, entry);
    spin_effect(); /* these are not looked through */
    touch(operation, SYNC, (uintptr_t)object, 1, writes, waits);
    operation->waits = waits;
    current->object = (uintptr_t)object;
}

/* SOUND: readers commute, so nothing that one of them did is ordered before another: a reader gets to know what writers
 * released, a writer also what readers released (which is kept at another address inside the lock). */
static const void *readers_clock(const struct rwlock *lock) { return &lock->readers; }

static int take(struct rwlock *lock, bool writes)
{
    acquired(lock);
    if (writes) {
        lock->writer = current->self;
        acquired(readers_clock(lock));
        locked(lock);
    } else {
        lock->readers++;
        current->reading++;
    }
    return 0;
}

static int lock(pthread_rwlock_t *object, bool writes, void **entry)
{
    if (valid(object, "locking", entry[1])->writer == current->self)
        return EDEADLK;
    describe(writes ? OP_LOCK : OP_READ_LOCK, object, writes, true, entry);
    current->ready = writes ? can_write : can_read;
    perform();
    entry = current->entry;
    return take(valid(object, "locking", entry[1]), writes);
}

static int trylock(pthread_rwlock_t *object, bool writes, void **entry)
{
    valid(object, "locking", entry[1]);
    describe(OP_TRYLOCK, object, writes, false, entry);
    perform();
    entry = current->entry;
    struct rwlock *lock = valid(object, "locking", entry[1]);
    return writes ? can_write(current) ? take(lock, true) : EBUSY : can_read(current) ? take(lock, false) : EBUSY;
}

static int lock_timed(pthread_rwlock_t *object, bool writes, const struct timespec *until, void **entry)
{
    access_memory((uintptr_t)until, sizeof *until, false, entry);
    valid(object, "locking", entry[1]);
    if (!is_time(until))
        return trylock(object, writes, entry) ? EINVAL : 0;
    note_time_outs();
    describe(OP_TIMEDLOCK, object, writes, true, entry);
    current->ready = writes ? can_write_or_not : can_read_or_not;
    perform();
    entry = current->entry;
    struct rwlock *lock = valid(object, "locking", entry[1]);
    if (writes ? can_write(current) : can_read(current))
        return take(lock, writes);
    timed_out(until);
    return ETIMEDOUT;
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *object) { return lock(object, false, HERE); }

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *object) { return lock(object, true, HERE); }

EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *object) { return trylock(object, false, HERE); }

EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *object) { return trylock(object, true, HERE); }

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *object, const struct timespec *until)
{
    return lock_timed(object, false, until, HERE);
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *object, const struct timespec *until)
{
    return lock_timed(object, true, until, HERE);
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *object, clockid_t clock, const struct timespec *until)
{
    (void)clock;
    return lock_timed(object, false, until, HERE);
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *object, clockid_t clock, const struct timespec *until)
{
    (void)clock;
    return lock_timed(object, true, until, HERE);
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *object)
{
    void **entry = HERE;
    bool writes = valid(object, "unlocking", entry[1])->writer == current->self; /* nobody else can change that */
    describe(OP_UNLOCK, object, writes, false, entry);
    perform();
    entry = current->entry;
    struct rwlock *lock = valid(object, "unlocking", entry[1]);
    if (!writes && (!lock->readers || !current->reading))
        fail("lock-misuse", entry[1],
             lock->readers || lock->writer ? "unlocking a read-write lock that only others hold"
                                           : "unlocking a read-write lock that is not held");
    if (writes) {
        lock->writer = 0;
        released(lock);
        unlocked(lock);
    } else {
        lock->readers--;
        current->reading--;
        released(readers_clock(lock));
    }
    return 0;
}

EXPORT int pthread_rwlock_init(pthread_rwlock_t *object, const pthread_rwlockattr_t *attributes)
{
    (void)attributes; /* who is preferred is for the exploration to decide */
    void **entry = HERE;
    check_alive((uintptr_t)object, sizeof *object, true, entry[1]);
    perform_on(OP_INITIALISE, object, entry);
    memset(object, 0, sizeof *object);
    return 0;
}

EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *object)
{
    void **entry = HERE;
    perform_on(OP_DESTROY, object, entry);
    entry = current->entry;
    struct rwlock *lock = valid(object, "destroying", entry[1]);
    if (lock->writer || lock->readers)
        fail("lock-misuse", entry[1], "destroying a read-write lock that is held");
    lock->destroyed = DESTROYED;
    return 0;
}
