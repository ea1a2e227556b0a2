/* What is done once: pthread_once, local variables of C++ functions; and values that each thread has of its own. */
#include "pthread/sync.h"

#include <errno.h>

enum { NEW, BUSY, DONE };

static bool not_busy(const struct thread *thread) { return *(volatile int *)thread->object != BUSY; }

/* True: the caller has to do it.  Once it is done nobody changes that: later calls only read. */
static bool begin_once(pthread_once_t *object, void **entry)
{
    struct operation *operation = pend(OP_ONCE, entry);
    touch(operation, SYNC, (uintptr_t)object, 1, *object != DONE, true);
    operation->waits = true;
    current->object = (uintptr_t)object;
    current->ready = not_busy;
    perform();
    bool first = *object == NEW;
    if (first)
        *object = BUSY;
    acquired(object); /* also by the first: others may have given up before */
    return first;
}

struct unfinished {
    pthread_once_t *object; /* NULL: it is done */
    void **entry;
};

/* An exception leaves the routine: the next one has to do it. */
static void give_up(struct unfinished *unfinished)
{
    if (!unfinished->object)
        return;
    perform_on(OP_ONCE, unfinished->object, unfinished->entry);
    *unfinished->object = NEW;
    released(unfinished->object);
}

int once(pthread_once_t *object, void (*routine)(void), void **entry)
{
    check_alive((uintptr_t)object, sizeof *object, true, entry[1]);
    if (!begin_once(object, entry))
        return 0;
    struct unfinished unfinished __attribute__((cleanup(give_up))) = {object, entry};
    routine();
    perform_on(OP_ONCE, object, entry);
    unfinished.object = NULL;
    *object = DONE;
    released(object);
    return 0;
}

EXPORT int pthread_once(pthread_once_t *object, void (*routine)(void)) { return once(object, routine, HERE); }

/* ---------------------------------------------------------------- static variables of C++ functions */

struct guard {
    uint8_t done; /* looked at by the compiled code, as an atomic */
    uint8_t busy;
};

static bool guard_free(const struct thread *thread) { return !((const struct guard *)thread->object)->busy; }

static void guard_operation(struct guard *guard, bool waits, void **entry)
{
    struct operation *operation = pend(OP_ONCE, entry);
    touch(operation, MEMORY, (uintptr_t)guard, sizeof *guard, true, waits);
    operation->waits = waits;
    current->object = (uintptr_t)guard;
    current->ready = waits ? guard_free : NULL;
    perform();
}

EXPORT int __cxa_guard_acquire(struct guard *guard)
{
    guard_operation(guard, true, HERE);
    acquired(guard);
    if (guard->done)
        return 0;
    guard->busy = 1;
    return 1;
}

EXPORT void __cxa_guard_release(struct guard *guard)
{
    guard_operation(guard, false, HERE);
    *guard = (struct guard){.done = 1};
    released_only(guard);
}

EXPORT void __cxa_guard_abort(struct guard *guard)
{
    guard_operation(guard, false, HERE);
    guard->busy = 0;
    released(guard);
}

/* ---------------------------------------------------------------- thread-specific data */

static void **values(void) { return (void **)(current->self + SPECIFIC_FROM); }

/* SOUND: which key comes next depends on who asks first. */
int key_create(unsigned *key, void (*destructor)(void *), void **entry)
{
    access_memory((uintptr_t)key, sizeof *key, true, entry);
    perform_on(OP_INITIALISE, &now.keys, entry);
    for (unsigned i = 0; i < MOST_KEYS; i++) {
        if (now.key_used[i])
            continue;
        now.key_used[i] = true;
        now.destructor[i] = destructor;
        now.keys = (int)i + 1 > now.keys ? (int)i + 1 : now.keys;
        *key = i;
        return 0;
    }
    return EAGAIN;
}

EXPORT int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    return key_create(key, destructor, HERE);
}

int key_delete(unsigned key, void **entry)
{
    if (key >= MOST_KEYS || !now.key_used[key])
        return EINVAL;
    perform_on(OP_DESTROY, &now.keys, entry);
    now.key_used[key] = false;
    now.destructor[key] = NULL;
    for (int i = 0; i < now.threads; i++) /* a key that is made again begins with nothing */
        if (thread_of(i)->life == LIVING && (unsigned)thread_of(i)->specific > key)
            ((void **)(thread_of(i)->self + SPECIFIC_FROM))[key] = NULL;
    return 0;
}

EXPORT int pthread_key_delete(pthread_key_t key) { return key_delete(key, HERE); }

EXPORT void *pthread_getspecific(pthread_key_t key) { return (int)key < current->specific ? values()[key] : NULL; }

EXPORT int pthread_setspecific(pthread_key_t key, const void *value)
{
    if (key >= MOST_KEYS || !now.key_used[key])
        return EINVAL;
    if ((int)key >= current->specific)
        current->specific = (int)key + 1;
    values()[key] = (void *)value;
    return 0;
}
