/* expect: violated assertion */
/* A stack without locks: the top is the same again, but what is below it is not. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *_Atomic next;
    atomic_int taken;
};
static struct node low, high = {.next = &low};
static struct node *_Atomic top = &high;

static void push(struct node *node) {
    struct node *old = top;
    do
        node->next = old;
    while (!atomic_compare_exchange_strong(&top, &old, node));
}

static struct node *pop(void) {
    struct node *old = top;
    while (old && !atomic_compare_exchange_strong(&top, &old, old->next))
        ;
    return old;
}

static void keep(struct node *node) {
    if (node)
        assert(node->taken++ == 0);
}

static void *one(void *unused) {
    keep(pop());
    return unused;
}

static void *two(void *unused) {
    struct node *first = pop();
    keep(pop());
    if (first)
        push(first);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    keep(pop());
    return 0;
}
