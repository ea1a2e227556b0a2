/* The heart of Dekker's algorithm: say that you want to enter, then look whether the other one does.
 * expect: holds */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifdef WEAK
#define FENCE() ((void)0) /* both may read the flag of the other before their own one is seen */
#else
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#endif

static atomic_int wants[2];
static int count; /* of those who have entered */

static void *enter(void *number)
{
    int me = (int)(intptr_t)number, other = 1 - me;
    atomic_store_explicit(&wants[me], 1, memory_order_relaxed);
    FENCE();
    if (!atomic_load_explicit(&wants[other], memory_order_relaxed))
        count++;
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
