/* A ticket lock: everybody draws a number and waits until it is served.
 * expect: holds */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAK
#define SERVE memory_order_relaxed /* the next one may not see what was done under the lock */
#else
#define SERVE memory_order_release
#endif

enum { THREADS = 3 };

static atomic_int tickets, served;
static int count;

static void *work(void *unused)
{
    int mine = atomic_fetch_add_explicit(&tickets, 1, memory_order_relaxed);
    while (atomic_load_explicit(&served, memory_order_acquire) != mine)
        ;
    count++;
    atomic_store_explicit(&served, mine + 1, SERVE);
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(count == THREADS);
}
