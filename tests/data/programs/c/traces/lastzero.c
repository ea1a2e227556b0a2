/* One thread looks for the last zero, thread i sets a[i] = a[i - 1] + 1: 12, 64, 320, 3328 traces for N = 3, 5, 7, 10. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int a[N + 1];

static void *look(void *unused)
{
    int i = N;
    while (atomic_load_explicit(&a[i], memory_order_relaxed) != 0)
        i--;
    assert(i >= 0);
    return unused;
}

static void *set(void *argument)
{
    long i = (long)argument;
    int r = atomic_load_explicit(&a[i - 1], memory_order_relaxed);
    atomic_store_explicit(&a[i], r + 1, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t threads[N + 1];
    pthread_create(&threads[0], NULL, look, NULL);
    for (long i = 1; i <= N; i++)
        pthread_create(&threads[i], NULL, set, (void *)i);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
