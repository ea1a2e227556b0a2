/* A bounded queue of many producers and consumers: a sequence number in each cell says whose turn it is. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { SIZE = 2 };

static struct {
    atomic_int turn;
    int value;
} cell[SIZE] = {{0, 0}, {1, 0}};
static atomic_int produced, consumed;

static void *put(void *unused)
{
    int place = atomic_fetch_add(&produced, 1);
    while (atomic_load(&cell[place % SIZE].turn) != place)
        ;
    cell[place % SIZE].value = place + 1;
    atomic_store(&cell[place % SIZE].turn, place + 1);
    return unused;
}

static void *take(void *unused)
{
    int place = atomic_fetch_add(&consumed, 1);
    while (atomic_load(&cell[place % SIZE].turn) != place + 1)
        ;
    assert(cell[place % SIZE].value == place + 1);
    atomic_store(&cell[place % SIZE].turn, place + SIZE);
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
        pthread_create(&threads[i], NULL, put, NULL);
    for (int i = 0; i < R; i++)
        pthread_create(&threads[W + i], NULL, take, NULL);
    for (int i = 0; i < R + W; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
