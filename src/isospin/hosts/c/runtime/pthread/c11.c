/* The threads of C11: the same objects under other names. */
#include "pthread/sync.h"

#include <errno.h>
#include <threads.h>

static int as_c11(int error)
{
    switch (error) {
    case 0:
        return thrd_success;
    case ETIMEDOUT:
        return thrd_timedout;
    case EBUSY:
        return thrd_busy;
    case ENOMEM:
        return thrd_nomem;
    default:
        return thrd_error;
    }
}

EXPORT int thrd_create(thrd_t *self, thrd_start_t start, void *argument)
{
    return as_c11(thread_create(self, NULL, (void *(*)(void *))(void *)start, argument, true, HERE));
}

EXPORT int thrd_join(thrd_t self, int *result)
{
    void *value;
    int error = thread_join(self, result ? &value : NULL, false, HERE);
    if (!error && result) {
        access_memory((uintptr_t)result, sizeof *result, true, HERE);
        *result = (int)(intptr_t)value;
    }
    return as_c11(error);
}

EXPORT int thrd_detach(thrd_t self) { return as_c11(thread_detach(self, HERE)); }

EXPORT _Noreturn void thrd_exit(int result) { thread_exit((void *)(intptr_t)result, HERE); }

EXPORT thrd_t thrd_current(void) { return current->self; }

EXPORT int thrd_equal(thrd_t a, thrd_t b) { return a == b; }

EXPORT void thrd_yield(void) { yield(HERE); }

EXPORT int thrd_sleep(const struct timespec *wanted, struct timespec *rest)
{
    (void)rest;
    return sleep_timespec(wanted, HERE) ? -2 : 0;
}

/* ---------------------------------------------------------------- mutexes */

EXPORT int mtx_init(mtx_t *object, int type)
{
    bool recursive = type & mtx_recursive;
    return as_c11(mutex_init((pthread_mutex_t *)object, recursive ? PTHREAD_MUTEX_RECURSIVE : 0, HERE));
}

EXPORT int mtx_lock(mtx_t *object) { return as_c11(mutex_lock((pthread_mutex_t *)object, HERE)); }

EXPORT int mtx_timedlock(mtx_t *restrict object, const struct timespec *restrict until)
{
    return as_c11(mutex_lock_timed((pthread_mutex_t *)object, until, HERE));
}

EXPORT int mtx_trylock(mtx_t *object) { return as_c11(mutex_trylock((pthread_mutex_t *)object, HERE)); }

EXPORT int mtx_unlock(mtx_t *object) { return as_c11(mutex_unlock((pthread_mutex_t *)object, HERE)); }

EXPORT void mtx_destroy(mtx_t *object) { mutex_destroy((pthread_mutex_t *)object, HERE); }

/* ---------------------------------------------------------------- conditions */

EXPORT int cnd_init(cnd_t *object) { return as_c11(condition_init((pthread_cond_t *)object, HERE)); }

EXPORT int cnd_signal(cnd_t *object)
{
    condition_signal((pthread_cond_t *)object, OP_SIGNAL, HERE);
    return thrd_success;
}

EXPORT int cnd_broadcast(cnd_t *object)
{
    condition_signal((pthread_cond_t *)object, OP_BROADCAST, HERE);
    return thrd_success;
}

EXPORT int cnd_wait(cnd_t *object, mtx_t *mutex)
{
    return as_c11(condition_wait((pthread_cond_t *)object, (pthread_mutex_t *)mutex, NULL, HERE));
}

EXPORT int cnd_timedwait(cnd_t *restrict object, mtx_t *restrict mutex, const struct timespec *restrict until)
{
    return as_c11(condition_wait((pthread_cond_t *)object, (pthread_mutex_t *)mutex, until, HERE));
}

EXPORT void cnd_destroy(cnd_t *object) { condition_destroy((pthread_cond_t *)object, HERE); }

/* ---------------------------------------------------------------- once, and values of a thread */

EXPORT void call_once(once_flag *object, void (*routine)(void)) { once((pthread_once_t *)object, routine, HERE); }

EXPORT int tss_create(tss_t *key, tss_dtor_t destructor) { return as_c11(key_create(key, destructor, HERE)); }

EXPORT void tss_delete(tss_t key) { key_delete(key, HERE); }

EXPORT void *tss_get(tss_t key) { return pthread_getspecific(key); }

EXPORT int tss_set(tss_t key, void *value) { return as_c11(pthread_setspecific(key, value)); }
