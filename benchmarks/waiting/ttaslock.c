/* Test, then test and set: a look at the lock before each try to take it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

static atomic_int taken;
static int inside;

static void *work(void *unused)
{
    do
        while (atomic_load(&taken))
            ;
    while (atomic_exchange(&taken, 1));
    inside++;
    assert(inside == 1);
    inside--;
    atomic_store(&taken, 0);
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
