/* The queue lock of Mellor-Crummey and Scott: everybody waits at a flag of their own.
 * expect: holds */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef WEAK
#define PASS memory_order_relaxed /* who gets the lock may not see what was done under it */
#else
#define PASS memory_order_release
#endif

enum { THREADS = 2 };

struct waiter {
    atomic_int waits;
    _Atomic(struct waiter *) next;
};

static _Atomic(struct waiter *) last;
static struct waiter waiters[THREADS];
static int count;

static void acquire(struct waiter *mine)
{
    atomic_store_explicit(&mine->waits, 1, memory_order_relaxed);
    struct waiter *before = atomic_exchange_explicit(&last, mine, memory_order_acq_rel);
    if (!before)
        return;
    atomic_store_explicit(&before->next, mine, memory_order_release);
    while (atomic_load_explicit(&mine->waits, memory_order_acquire))
        ;
}

static void release(struct waiter *mine)
{
    struct waiter *expected = mine, *next = atomic_load_explicit(&mine->next, memory_order_acquire);
    if (!next && atomic_compare_exchange_strong_explicit(&last, &expected, NULL, PASS, memory_order_relaxed))
        return;
    while (!(next = atomic_load_explicit(&mine->next, memory_order_acquire)))
        ;
    atomic_store_explicit(&next->waits, 0, PASS);
}

static void *work(void *own)
{
    acquire(own);
    count++;
    release(own);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &waiters[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(count == THREADS);
}
