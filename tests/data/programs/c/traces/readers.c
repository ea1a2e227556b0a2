/* One writer, N readers: 2^N traces, N + 1 up to symmetry. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int x;

static void *write_it(void *unused)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return unused;
}

static void *read_it(void *unused)
{
    (void)atomic_load_explicit(&x, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t threads[N + 1];
    pthread_create(&threads[N], NULL, write_it, NULL);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, read_it, NULL);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
