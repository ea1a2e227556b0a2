/* A sequence lock: readers look at a counter before and after, and throw away what was written meanwhile.
 * expect: holds */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sequence, one, other; /* the two are equal whenever the counter is even */

static void *write_both(void *unused)
{
    for (int i = 1; i <= 2; i++) {
        int before = atomic_load_explicit(&sequence, memory_order_relaxed);
        atomic_store_explicit(&sequence, before + 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&one, i, memory_order_relaxed);
        atomic_store_explicit(&other, i, memory_order_relaxed);
        atomic_store_explicit(&sequence, before + 2, memory_order_release);
    }
    return unused;
}

static void read_both(void)
{
    int before = atomic_load_explicit(&sequence, memory_order_acquire);
    int first = atomic_load_explicit(&one, memory_order_relaxed);
    int second = atomic_load_explicit(&other, memory_order_relaxed);
#ifndef WEAK /* without it the counter may be read before the two */
    atomic_thread_fence(memory_order_acquire);
#endif
    int after = atomic_load_explicit(&sequence, memory_order_relaxed);
    if (before == after && before % 2 == 0)
        assert(first == second);
}

int main(void)
{
    pthread_t writer;
    pthread_create(&writer, NULL, write_both, NULL);
    read_both();
    pthread_join(writer, NULL);
}
