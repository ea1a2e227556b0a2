/* expect: holds; executions: 3; why: the fence in the middle of a round does not make each round a new one */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define READERS 2

static atomic_int sequence, one, two;
static void *writes(void *unused)
{
    atomic_store_explicit(&sequence, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&one, 1, memory_order_relaxed);
    atomic_store_explicit(&two, 1, memory_order_relaxed);
    atomic_store_explicit(&sequence, 2, memory_order_release);
    return unused;
}
static void *reads(void *unused)
{
    int before, after, a, b;
    do {
        before = atomic_load_explicit(&sequence, memory_order_acquire);
        a = atomic_load_explicit(&one, memory_order_relaxed);
        b = atomic_load_explicit(&two, memory_order_relaxed);
#ifndef WITHOUT_FENCE
        atomic_thread_fence(memory_order_acquire);
#endif
        after = atomic_load_explicit(&sequence, memory_order_relaxed);
    } while (before != after || before & 1);
    assert(a == b);
    return unused;
}
int main(void)
{
    pthread_t writer, reader[READERS];
    pthread_create(&writer, 0, writes, 0);
    for (int i = 0; i < READERS; i++)
        pthread_create(&reader[i], 0, reads, 0);
    for (int i = 0; i < READERS; i++)
        pthread_join(reader[i], 0);
    pthread_join(writer, 0);
}
