/* A ticket lock: who draws a number waits until it is called.  N! executions. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 4
#endif

static atomic_int next, serving;
static int inside;

static void *work(void *unused)
{
    int ticket = atomic_fetch_add(&next, 1);
    while (atomic_load(&serving) != ticket)
        ;
    inside++;
    assert(inside == 1);
    inside--;
    atomic_store(&serving, ticket + 1);
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
