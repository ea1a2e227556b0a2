/* Semaphores of one process. */
#include "pthread/sync.h"

#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <string.h>

struct semaphore {
    uint32_t value;
    uint32_t destroyed;
};

enum { DESTROYED = 0x64656164 };

static struct semaphore *valid(sem_t *object, const char *what, const void *pc)
{
    struct semaphore *semaphore = (struct semaphore *)object;
    check_alive((uintptr_t)object, sizeof *object, true, pc);
    if (semaphore->destroyed == DESTROYED)
        fail("lock-misuse", pc, "%s of a destroyed semaphore", what);
    return semaphore;
}

static bool can_wait(const struct thread *thread) { return ((const struct semaphore *)thread->object)->value > 0; }

static int take(struct semaphore *semaphore)
{
    semaphore->value--;
    acquired(semaphore);
    return 0;
}

EXPORT int sem_init(sem_t *object, int shared, unsigned value)
{
    (void)shared;
    void **entry = HERE;
    check_alive((uintptr_t)object, sizeof *object, true, entry[1]);
    if (value > SEM_VALUE_MAX) {
        errno = EINVAL;
        return -1;
    }
    perform_on(OP_INITIALISE, object, entry);
    memset(object, 0, sizeof *object);
    ((struct semaphore *)object)->value = value;
    released(object);
    return 0;
}

EXPORT int sem_destroy(sem_t *object)
{
    void **entry = HERE;
    perform_on(OP_DESTROY, object, entry);
    entry = current->entry;
    valid(object, "destroying", entry[1])->destroyed = DESTROYED;
    return 0;
}

EXPORT int sem_wait(sem_t *object)
{
    void **entry = HERE;
    valid(object, "waiting", entry[1]);
    perform_waiting(OP_SEMAPHORE_WAIT, object, can_wait, entry);
    entry = current->entry;
    return take(valid(object, "waiting", entry[1]));
}

/* 0: taken; else what to tell if it cannot be had at once. */
static int try(sem_t *object, int error, void **entry)
{
    valid(object, "waiting", entry[1]);
    touch(pend(OP_SEMAPHORE_TRY, entry), SYNC, (uintptr_t)object, 1, true, false);
    perform_reading(entry);
    entry = current->entry;
    struct semaphore *semaphore = valid(object, "waiting", entry[1]);
    if (semaphore->value) {
        spin_effect();
        return take(semaphore);
    }
    spin_read((uintptr_t)&semaphore->value, sizeof semaphore->value, SYNC);
    errno = error;
    return -1;
}

EXPORT int sem_trywait(sem_t *object) { return try(object, EAGAIN, HERE); }

static bool can_wait_or_not(const struct thread *thread) { return can_wait(thread) || may_time_out(thread); }

static int wait_timed(sem_t *object, const struct timespec *until, void **entry)
{
    access_memory((uintptr_t)until, sizeof *until, false, entry);
    valid(object, "waiting", entry[1]);
    if (!is_time(until))
        return try(object, EINVAL, entry);
    note_time_outs();
    perform_waiting(OP_TIMED_SEMAPHORE_WAIT, object, can_wait_or_not, entry);
    entry = current->entry;
    struct semaphore *semaphore = valid(object, "waiting", entry[1]);
    if (semaphore->value)
        return take(semaphore);
    timed_out(until);
    errno = ETIMEDOUT;
    return -1;
}

EXPORT int sem_timedwait(sem_t *restrict object, const struct timespec *restrict until)
{
    return wait_timed(object, until, HERE);
}

EXPORT int sem_clockwait(sem_t *restrict object, clockid_t clock, const struct timespec *restrict until)
{
    (void)clock;
    return wait_timed(object, until, HERE);
}

EXPORT int sem_post(sem_t *object)
{
    void **entry = HERE;
    valid(object, "posting", entry[1]);
    perform_on(OP_SEMAPHORE_POST, object, entry);
    entry = current->entry;
    struct semaphore *semaphore = valid(object, "posting", entry[1]);
    if (semaphore->value == SEM_VALUE_MAX) {
        errno = EOVERFLOW;
        return -1;
    }
    semaphore->value++;
    released(object);
    return 0;
}

EXPORT int sem_getvalue(sem_t *object, int *value)
{
    void **entry = HERE;
    struct operation *operation = pend(OP_READ, entry);
    touch(operation, SYNC, (uintptr_t)object, 1, false, false);
    perform();
    entry = current->entry;
    access_memory((uintptr_t)value, sizeof *value, true, entry);
    *value = (int)valid(object, "reading", entry[1])->value;
    return 0;
}
