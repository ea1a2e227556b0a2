/* Treiber's stack: writers push, readers pop unless it is empty. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static _Atomic(struct node *) top;

static void *push(void *unused)
{
    struct node *new = malloc(sizeof *new), *old;
    new->value = 1;
    do {
        old = atomic_load(&top);
        new->next = old;
    } while (!atomic_compare_exchange_strong(&top, &old, new));
    return unused;
}

static void *pop(void *unused)
{
    struct node *old;
    do
        old = atomic_load(&top);
    while (old && !atomic_compare_exchange_strong(&top, &old, old->next));
    assert(!old || old->value == 1);
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
        pthread_create(&threads[i], NULL, push, NULL);
    for (int i = 0; i < R; i++)
        pthread_create(&threads[W + i], NULL, pop, NULL);
    for (int i = 0; i < R + W; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
