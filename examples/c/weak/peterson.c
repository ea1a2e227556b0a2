/* Peterson's algorithm for two threads, with relaxed accesses and fences.  Who would have to wait gives up, so that each run
 * is short: at most one may be inside.
 * expect: holds */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifdef WEAK
#define FENCE() ((void)0) /* both may read the flags before their own one is seen */
#else
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#endif

static atomic_int wants[2], turn, inside;

static void *enter(void *number)
{
    int me = (int)(intptr_t)number, other = 1 - me;
    atomic_store_explicit(&wants[me], 1, memory_order_relaxed);
    FENCE();
    atomic_store_explicit(&turn, other, memory_order_relaxed);
    FENCE();
    if (atomic_load_explicit(&wants[other], memory_order_acquire) &&
        atomic_load_explicit(&turn, memory_order_relaxed) == other)
        return NULL;
    assert(atomic_fetch_add_explicit(&inside, 1, memory_order_relaxed) == 0);
    atomic_fetch_sub_explicit(&inside, 1, memory_order_relaxed);
    atomic_store_explicit(&wants[me], 0, memory_order_release);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, enter, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
