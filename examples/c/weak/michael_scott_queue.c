/* The queue of Michael and Scott (PODC 1996): a list with a dummy in front; whoever finds the tail behind helps it along.
 * expect: holds */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef WEAK
#define PUBLISH memory_order_relaxed /* the node may be seen before what is in it */
#else
#define PUBLISH memory_order_release
#endif

struct node {
    int value;
    _Atomic(struct node *) next;
};

static struct node dummy, nodes[2];
static _Atomic(struct node *) head = &dummy, tail = &dummy;

static void enqueue(struct node *node)
{
    for (;;) {
        struct node *last = atomic_load_explicit(&tail, memory_order_acquire), *none = NULL;
        if (atomic_compare_exchange_strong_explicit(&last->next, &none, node, PUBLISH, memory_order_acquire)) {
            atomic_compare_exchange_strong_explicit(&tail, &last, node, PUBLISH, memory_order_relaxed);
            return;
        }
        atomic_compare_exchange_strong_explicit(&tail, &last, none, PUBLISH, memory_order_relaxed);
    }
}

/* 0: it is empty. */
static int dequeue(void)
{
    struct node *first = atomic_load_explicit(&head, memory_order_acquire);
    for (;;) {
        struct node *next = atomic_load_explicit(&first->next, memory_order_acquire);
        if (!next)
            return 0;
        int value = next->value;
        if (atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_acq_rel, memory_order_acquire))
            return value;
    }
}

static void *work(void *own)
{
    struct node *mine = own;
    mine->value = 1 + (mine == &nodes[1]);
    enqueue(mine);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &nodes[i]);
    int early = dequeue();
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    int sum = early + dequeue() + dequeue();
    assert(sum == 3 && dequeue() == 0);
}
