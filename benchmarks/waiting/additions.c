/* Each thread adds twice, and does not look at what was there: one execution. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 5
#endif

static atomic_int x;

static void *work(void *unused)
{
    atomic_fetch_add(&x, 1);
    x++;
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(x == 2 * N);
    return 0;
}
