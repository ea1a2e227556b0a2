/* expect: holds; options: --memory rc11; why: a round that saw the top change, and change back, need not be left out */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node { int value; struct node *next; };
static _Atomic(struct node *) top;
static struct node nodes[2] = { { 1, NULL }, { 2, NULL } };

static void push(struct node *n)
{
    struct node *old = atomic_load(&top);
    do n->next = old;
    while (!atomic_compare_exchange_weak(&top, &old, n));
}

static struct node *pop(void)
{
    struct node *old = atomic_load(&top);
    while (old && !atomic_compare_exchange_weak(&top, &old, old->next)) ;
    return old;
}

static void *take(void *unused) { return pop(); }
static void *give(void *unused) { push(&nodes[0]); push(&nodes[1]); return pop(); }

int main(void)
{
    pthread_t one, two;
    void *first, *second;
    pthread_create(&one, NULL, take, NULL);
    pthread_create(&two, NULL, give, NULL);
    pthread_join(one, &first);
    pthread_join(two, &second);
    assert(second && first != second);
}
