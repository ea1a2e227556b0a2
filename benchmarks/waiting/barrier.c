/* A barrier: everybody counts down, and waits until nobody is missing. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 5
#endif

static atomic_int missing = N;

static void *work(void *unused)
{
    atomic_fetch_sub(&missing, 1);
    while (atomic_load(&missing))
        ;
    assert(atomic_load(&missing) == 0);
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
