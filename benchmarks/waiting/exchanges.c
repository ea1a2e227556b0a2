/* Each thread exchanges its own number for the next one, if it finds it: one that fails only reads. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 5
#endif

static atomic_int x;

static void *work(void *number)
{
    int expected = (int)(size_t)number;
    atomic_compare_exchange_strong(&x, &expected, expected + 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, work, (void *)(size_t)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
