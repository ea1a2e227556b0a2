/* A mutex of three states, as libraries build them: free, taken, taken with others waiting. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

static atomic_int state;
static int inside;

static void take(void)
{
    int expected = 0;
    if (atomic_compare_exchange_strong(&state, &expected, 1))
        return;
    while (atomic_exchange(&state, 2))
        while (atomic_load(&state) == 2)
            ;
}

static void *work(void *unused)
{
    take();
    inside++;
    assert(inside == 1);
    inside--;
    atomic_store(&state, 0);
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
