/* A sequence lock: readers go round until no writer came between. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int sequence, first, second;

static void *write_both(void *unused)
{
    int now;
    do
        now = atomic_load(&sequence);
    while ((now & 1) || !atomic_compare_exchange_strong(&sequence, &now, now + 1));
    int value = atomic_load(&first) + 1;
    atomic_store(&first, value);
    atomic_store(&second, value);
    atomic_store(&sequence, now + 2);
    return unused;
}

static void *read_both(void *unused)
{
    int now, one, other;
    do {
        now = atomic_load(&sequence);
        one = atomic_load(&first);
        other = atomic_load(&second);
    } while ((now & 1) || atomic_load(&sequence) != now);
    assert(one == other);
    return unused;
}

#ifndef R
#define R 2
#endif
#ifndef W
#define W 2
#endif

int main(void)
{
    pthread_t threads[R + W];
    for (int i = 0; i < W; i++)
        pthread_create(&threads[i], NULL, write_both, NULL);
    for (int i = 0; i < R; i++)
        pthread_create(&threads[W + i], NULL, read_both, NULL);
    for (int i = 0; i < R + W; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
