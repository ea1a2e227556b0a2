/* Semaphores: sets of System V, and those of POSIX by name, in shared memory, or in memory of the process alone. */
#define _GNU_SOURCE
#include "runtime.h"

#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <time.h>

enum { MOST_OPERATIONS = 500, MOST_NAMED = 16384 };

EXPORT int semget(key_t key, int count, int flags) { return (int)ASK(CALL_SEMGET, key, count, flags); }

static int operate(int id, struct sembuf *operations, size_t count, bool timed)
{
    struct sembuf copy[MOST_OPERATIONS];
    if (count > MOST_OPERATIONS) {
        errno = E2BIG;
        return -1;
    }
    size_t size = count * sizeof *operations;
    const void *data = borrow(operations, size, copy);
    return (int)ASK_WITH(CALL_SEMOP, data, size, id, timed);
}

EXPORT int semop(int id, struct sembuf *operations, size_t count) { return operate(id, operations, count, false); }

EXPORT int semtimedop(int id, struct sembuf *operations, size_t count, const struct timespec *limit)
{
    return operate(id, operations, count, limit != NULL);
}

union semun {
    int val;
    struct semid_ds *buf;
    unsigned short *array;
};

static int control_all(int id, int command, unsigned short *array)
{
    unsigned short values[256];
    int count = (int)ASK(CALL_SEMCOUNT, id);
    if (count < 0)
        return -1;
    if (count > 256)
        outside("SETALL and GETALL of more than 256 semaphores");
    size_t size = (size_t)count * sizeof *values;
    if (command == SETALL)
        return (int)ASK_WITH(CALL_SEMCTL, borrow(array, size, values), size, id, 0, command);
    struct question question = {.kind = CALL_SEMCTL, .args = {id, 0, command}, .out = values, .room = sizeof values};
    int result = (int)ask(&question);
    give(array, values, question.got);
    return result;
}

EXPORT int semctl(int id, int number, int command, ...)
{
    va_list list;
    va_start(list, command);
    union semun argument = va_arg(list, union semun);
    va_end(list);
    switch (command) {
    case SETALL:
    case GETALL:
        return control_all(id, command, argument.array);
    case SETVAL:
        return (int)ASK(CALL_SEMCTL, id, number, command, argument.val);
    case GETVAL:
    case IPC_RMID:
        return (int)ASK(CALL_SEMCTL, id, number, command);
    default:
        outside("semctl other than SETVAL, GETVAL, SETALL, GETALL, IPC_RMID");
    }
}

/* ------------------------------------------------------------------------------------------- POSIX */

struct own_semaphore { /* in a sem_t that no other process can see */
    uint64_t magic;
    int64_t value;
};
static const uint64_t OWN = 0x6973706e73656d31;
static char named[MOST_NAMED]; /* a name for each semaphore of sem_open */

static struct own_semaphore *own(sem_t *semaphore)
{
    struct own_semaphore *mine = (void *)semaphore;
    if (mine->magic != OWN)
        outside("a semaphore that was not initialised");
    return mine;
}

/* The arguments that name a semaphore: a number, or a place in shared memory; false: it belongs to the process alone.
 */
static bool address_of(sem_t *semaphore, int64_t name[3])
{
    char *at = (char *)semaphore;
    name[0] = 0;
    if (at >= named && at < named + MOST_NAMED) {
        name[1] = at - named, name[2] = 0;
        return true;
    }
    name[0] = 1;
    return shared_place(semaphore, &name[1], &name[2]);
}

EXPORT int sem_init(sem_t *semaphore, int shared, unsigned value)
{
    int64_t name[3];
    (void)shared; /* in shared memory it works all the same */
    if (value > INT_MAX) {
        errno = EINVAL;
        return -1;
    }
    if (address_of(semaphore, name))
        return (int)ASK(CALL_SEM_INIT, name[0], name[1], name[2], value);
    struct own_semaphore *mine = (void *)semaphore;
    mine->magic = OWN, mine->value = value;
    return 0;
}

EXPORT int sem_destroy(sem_t *semaphore)
{
    int64_t name[3];
    return address_of(semaphore, name) ? 0 : (own(semaphore), 0);
}

static int sem_take(sem_t *semaphore, const char *kind, bool waits)
{
    int64_t name[3];
    if (address_of(semaphore, name))
        return (int)ASK(kind, name[0], name[1], name[2]);
    struct own_semaphore *mine = own(semaphore);
    if (mine->value == 0 && waits)
        ASK(CALL_PAUSE); /* nobody else can ever signal it */
    if (mine->value == 0) {
        errno = EAGAIN;
        return -1;
    }
    mine->value--;
    return 0;
}

EXPORT int sem_wait(sem_t *semaphore) { return sem_take(semaphore, CALL_SEM_WAIT, true); }

EXPORT int sem_trywait(sem_t *semaphore) { return sem_take(semaphore, CALL_SEM_TRYWAIT, false); }

EXPORT int sem_timedwait(sem_t *semaphore, const struct timespec *limit)
{
    (void)limit;
    int result = sem_take(semaphore, CALL_SEM_TIMEDWAIT, false);
    if (result < 0 && errno == EAGAIN)
        errno = ETIMEDOUT;
    return result;
}

EXPORT int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *limit)
{
    (void)clock;
    return sem_timedwait(semaphore, limit);
}

EXPORT int sem_post(sem_t *semaphore)
{
    int64_t name[3];
    if (address_of(semaphore, name))
        return (int)ASK(CALL_SEM_POST, name[0], name[1], name[2]);
    own(semaphore)->value++;
    return 0;
}

EXPORT int sem_getvalue(sem_t *semaphore, int *value)
{
    int64_t name[3];
    int found =
        (int)(address_of(semaphore, name) ? ASK(CALL_SEM_GETVALUE, name[0], name[1], name[2]) : own(semaphore)->value);
    give(value, &found, sizeof found);
    return 0;
}

EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
    unsigned value = 0;
    if (flags & O_CREAT) {
        va_list list;
        va_start(list, flags);
        (void)va_arg(list, mode_t);
        value = va_arg(list, unsigned);
        va_end(list);
    }
    int64_t id = ASK_WITH(CALL_SEM_OPEN, name, strlen(name), flags, value);
    if (id >= MOST_NAMED)
        outside("so many semaphores with names");
    return id < 0 ? SEM_FAILED : (sem_t *)(named + id);
}

EXPORT int sem_close(sem_t *semaphore)
{
    (void)semaphore;
    return 0;
}

EXPORT int sem_unlink(const char *name) { return (int)ASK_WITH(CALL_SEM_UNLINK, name, strlen(name)); }
