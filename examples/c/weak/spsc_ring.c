/* A ring for one producer and one consumer, without locks: each index has one writer.
 * expect: holds */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAK
#define PUBLISH memory_order_relaxed /* the slot may be seen later than the index that hands it over */
#else
#define PUBLISH memory_order_release
#endif

enum { SIZE = 2, ITEMS = 3 };

static int slots[SIZE];
static atomic_int first, next; /* of the consumer, of the producer */

static void push(int item)
{
    int at = atomic_load_explicit(&next, memory_order_relaxed);
    while (at - atomic_load_explicit(&first, memory_order_acquire) == SIZE)
        ;
    slots[at % SIZE] = item;
    atomic_store_explicit(&next, at + 1, PUBLISH);
}

static int pop(void)
{
    int at = atomic_load_explicit(&first, memory_order_relaxed);
    while (atomic_load_explicit(&next, memory_order_acquire) == at)
        ;
    int item = slots[at % SIZE];
    atomic_store_explicit(&first, at + 1, memory_order_release);
    return item;
}

static void *produce(void *unused)
{
    for (int i = 1; i <= ITEMS; i++)
        push(i);
    return unused;
}

int main(void)
{
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    for (int i = 1; i <= ITEMS; i++)
        assert(pop() == i);
    pthread_join(producer, NULL);
}
