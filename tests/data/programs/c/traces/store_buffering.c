/* A ring of threads, each writes its cell and reads the next one: 2^N - 1 traces. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int x[N];

static void *one(void *argument)
{
    long i = (long)argument;
    atomic_store_explicit(&x[i], 1, memory_order_relaxed);
    (void)atomic_load_explicit(&x[(i + 1) % N], memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, one, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
