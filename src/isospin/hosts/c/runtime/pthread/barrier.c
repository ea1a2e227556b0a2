/* Barriers and spin locks.
 *
 * At a barrier a thread arrives (one operation), and leaves when the round in which it arrived is over (another one);
 * the last to arrive goes on at once. */
#include "pthread/sync.h"

#include <errno.h>
#include <string.h>

struct barrier {
    uint32_t wanted, arrived, round, leaving;
    uint32_t destroyed;
};
_Static_assert(sizeof(struct barrier) <= sizeof(pthread_barrier_t), "fits");

enum { DESTROYED = 0x64656164 };

static struct barrier *valid(pthread_barrier_t *object, const void *pc)
{
    struct barrier *barrier = (struct barrier *)object;
    check_alive((uintptr_t)object, sizeof *object, true, pc);
    if (barrier->destroyed == DESTROYED || !barrier->wanted)
        fail("lock-misuse", pc, "use of a barrier that is not initialised");
    return barrier;
}

EXPORT int pthread_barrier_init(pthread_barrier_t *object, const pthread_barrierattr_t *attributes, unsigned count)
{
    (void)attributes;
    void **entry = HERE;
    if (count == 0)
        return EINVAL;
    check_alive((uintptr_t)object, sizeof *object, true, entry[1]);
    perform_on(OP_INITIALISE, object, entry);
    memset(object, 0, sizeof *object);
    ((struct barrier *)object)->wanted = count;
    return 0;
}

static bool may_leave(const struct thread *thread)
{
    return ((const struct barrier *)thread->object)->round != thread->round;
}

static int last_one(struct barrier *barrier)
{
    barrier->leaving = barrier->arrived - 1;
    barrier->arrived = 0;
    barrier->round++;
    acquired(barrier);
    return PTHREAD_BARRIER_SERIAL_THREAD;
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *object)
{
    void **entry = HERE;
    valid(object, entry[1]);
    perform_on(OP_BARRIER, object, entry);
    entry = current->entry;
    struct barrier *barrier = valid(object, entry[1]);
    released(object);
    if (++barrier->arrived == barrier->wanted)
        return last_one(barrier);
    current->round = barrier->round;
    struct operation *operation = pend(OP_BARRIER_LEAVE, entry);
    touch(operation, SYNC, (uintptr_t)object, 1, false, true);
    operation->waits = true;
    current->object = (uintptr_t)object;
    current->ready = may_leave;
    perform();
    entry = current->entry;
    valid(object, entry[1])->leaving--;
    acquired(object);
    return 0;
}

static bool nobody_leaves(const struct thread *thread)
{
    return ((const struct barrier *)thread->object)->leaving == 0;
}

EXPORT int pthread_barrier_destroy(pthread_barrier_t *object)
{
    void **entry = HERE;
    struct barrier *barrier = valid(object, entry[1]);
    perform_waiting(OP_DESTROY, object, nobody_leaves, entry); /* as in POSIX: it waits until the last has left */
    entry = current->entry;
    if (barrier->arrived)
        fail("lock-misuse", entry[1], "destroying a barrier at which threads wait");
    barrier->destroyed = DESTROYED;
    return 0;
}

/* ---------------------------------------------------------------- spin locks: one bit, nobody's name */

static bool is_free(const struct thread *thread) { return *(volatile int *)thread->object == 0; }

static int take(pthread_spinlock_t *object)
{
    *object = 1;
    acquired(object);
    locked(object);
    return 0;
}

EXPORT int pthread_spin_init(pthread_spinlock_t *object, int shared)
{
    (void)shared;
    perform_on(OP_INITIALISE, (void *)object, HERE);
    *object = 0;
    return 0;
}

EXPORT int pthread_spin_destroy(pthread_spinlock_t *object)
{
    void **entry = HERE;
    perform_on(OP_DESTROY, (void *)object, entry);
    entry = current->entry;
    if (*object)
        fail("lock-misuse", entry[1], "destroying a spin lock that is held");
    return 0;
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *object)
{
    void **entry = HERE;
    check_alive((uintptr_t)object, sizeof *object, true, entry[1]);
    spin_effect();
    perform_waiting(OP_LOCK, (void *)object, is_free, entry);
    entry = current->entry;
    check_alive((uintptr_t)object, sizeof *object, true, entry[1]);
    return take(object);
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t *object)
{
    void **entry = HERE;
    check_alive((uintptr_t)object, sizeof *object, true, entry[1]);
    touch(pend(OP_TRYLOCK, entry), SYNC, (uintptr_t)object, 1, true, false);
    perform_reading(entry);
    if (*object) {
        spin_read((uintptr_t)object, sizeof *object, SYNC);
        return EBUSY;
    }
    spin_effect();
    return take(object);
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *object)
{
    void **entry = HERE;
    check_alive((uintptr_t)object, sizeof *object, true, entry[1]);
    spin_effect();
    perform_on(OP_UNLOCK, (void *)object, entry);
    entry = current->entry;
    if (!*object)
        fail("lock-misuse", entry[1], "unlocking a spin lock that is not held");
    *object = 0;
    released(object);
    unlocked(object);
    return 0;
}
