/* Lamport's fast mutual exclusion (1987). */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

static atomic_int x, y, wants[N + 1];
static int inside;

static void leave(int me)
{
    atomic_store(&y, 0);
    atomic_store(&wants[me], 0);
}

static void enter(int me)
{
    for (;;) {
        atomic_store(&wants[me], 1);
        atomic_store(&x, me);
        if (atomic_load(&y)) {
            atomic_store(&wants[me], 0);
            while (atomic_load(&y))
                ;
            continue;
        }
        atomic_store(&y, me);
        if (atomic_load(&x) == me)
            return;
        atomic_store(&wants[me], 0);
        for (int i = 1; i <= N; i++)
            while (atomic_load(&wants[i]))
                ;
        if (atomic_load(&y) == me)
            return;
        while (atomic_load(&y))
            ;
    }
}

static void *work(void *number)
{
    int me = (int)(size_t)number;
    enter(me);
    inside++;
    assert(inside == 1);
    inside--;
    leave(me);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, work, (void *)(size_t)(i + 1));
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
