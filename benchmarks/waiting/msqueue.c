/* The queue of Michael and Scott (1996): writers put at the tail, readers take at the head unless it is empty. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

struct node {
    _Atomic(struct node *) next;
    int value;
};

static struct node dummy;
static _Atomic(struct node *) head = &dummy, tail = &dummy;

static void *put(void *unused)
{
    struct node *new = calloc(1, sizeof *new);
    new->value = 1;
    for (;;) {
        struct node *last = atomic_load(&tail), *next = atomic_load(&last->next);
        if (last != atomic_load(&tail))
            continue;
        if (next) {
            atomic_compare_exchange_strong(&tail, &last, next);
            continue;
        }
        if (atomic_compare_exchange_strong(&last->next, &next, new)) {
            atomic_compare_exchange_strong(&tail, &last, new);
            return unused;
        }
    }
}

static void *take(void *unused)
{
    for (;;) {
        struct node *first = atomic_load(&head), *last = atomic_load(&tail), *next = atomic_load(&first->next);
        if (first != atomic_load(&head))
            continue;
        if (!next)
            return unused;
        if (first == last) {
            atomic_compare_exchange_strong(&tail, &last, next);
            continue;
        }
        int value = next->value;
        if (atomic_compare_exchange_strong(&head, &first, next)) {
            assert(value == 1);
            return unused;
        }
    }
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
