/* Treiber's stack: a list whose head is exchanged.  Nodes are not used again, so there is no ABA here.
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
    struct node *below;
};

static _Atomic(struct node *) top;
static struct node nodes[2];

static void push(struct node *node)
{
    node->below = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&top, &node->below, node, PUBLISH, memory_order_relaxed))
        ;
}

static struct node *pop(void)
{
    struct node *node = atomic_load_explicit(&top, memory_order_acquire);
    while (node && !atomic_compare_exchange_weak_explicit(&top, &node, node->below, memory_order_acquire,
                                                          memory_order_acquire))
        ;
    return node;
}

static void *work(void *own)
{
    struct node *mine = own;
    mine->value = 1;
    push(mine);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int sum = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &nodes[i]);
    struct node *early = pop();
    sum += early ? early->value : 0;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (struct node *node = pop(); node; node = pop())
        sum += node->value;
    assert(sum == 2);
}
