/* expect: holds; why: whoever goes on has passed a fence behind what it saw */
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static int data;
static void *gives(void *unused)
{
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}
static void *takes(void *unused)
{
    while (!atomic_load_explicit(&flag, memory_order_relaxed))
        atomic_thread_fence(memory_order_acquire);
#ifndef NOT_BEHIND_THE_LAST
    atomic_thread_fence(memory_order_acquire);
#endif
    data = 2;
    return unused;
}
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, gives, 0);
    pthread_create(&two, 0, takes, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
}
