/* The queue lock of Mellor-Crummey and Scott: each thread waits at its own node. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

struct node {
    _Atomic(struct node *) next;
    atomic_int waits;
};

static _Atomic(struct node *) last;
static int inside;

static void *work(void *unused)
{
    struct node own = {NULL, 1};
    struct node *before = atomic_exchange(&last, &own);
    if (before) {
        atomic_store(&before->next, &own);
        while (atomic_load(&own.waits))
            ;
    }
    inside++;
    assert(inside == 1);
    inside--;
    struct node *expected = &own, *next;
    if (atomic_load(&own.next) || !atomic_compare_exchange_strong(&last, &expected, NULL)) {
        while (!(next = atomic_load(&own.next)))
            ;
        atomic_store(&next->waits, 0);
    }
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
