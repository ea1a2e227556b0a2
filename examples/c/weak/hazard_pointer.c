/* Hazard pointers (Michael 2004): a reader says what it uses, and looks whether that is still current; who takes it away frees
 * it only if nobody says so.
 * expect: holds */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef WEAK
#define FENCE() ((void)0) /* each may read before its own store is seen */
#else
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#endif

static _Atomic(int *) current, used;

static void *read_value(void *unused)
{
    int *found = atomic_load_explicit(&current, memory_order_acquire);
    atomic_store_explicit(&used, found, memory_order_release);
    FENCE();
    if (atomic_load_explicit(&current, memory_order_acquire) == found && found)
        assert(*found == 7);
    atomic_store_explicit(&used, NULL, memory_order_release);
    return unused;
}

static void *take_away(void *unused)
{
    int *old = atomic_exchange_explicit(&current, NULL, memory_order_acq_rel);
    FENCE();
    if (atomic_load_explicit(&used, memory_order_acquire) != old)
        free(old);
    return unused;
}

int main(void)
{
    pthread_t reader, writer;
    int *first = malloc(sizeof *first);
    *first = 7;
    atomic_store_explicit(&current, first, memory_order_relaxed);
    pthread_create(&reader, NULL, read_value, NULL);
    pthread_create(&writer, NULL, take_away, NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
}
