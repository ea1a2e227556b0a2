/* N threads that read, then write: 4, 36, 576 traces for N = 2, 3, 4; at most 2, 6, 24 up to symmetry. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int x;

static void *add(void *unused)
{
    int r = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_store_explicit(&x, r + 1, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
