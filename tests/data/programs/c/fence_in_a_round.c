/* expect: violated deadlock; line: 9; message: waits for ever for a change of flag; why: nobody sets the flag, if it was looked at too early */
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag, other;
static void *work(void *u)
{
    atomic_store_explicit(&other, 1, memory_order_relaxed);
    while (!atomic_load_explicit(&flag, memory_order_relaxed))
        atomic_thread_fence(memory_order_seq_cst);
    return u;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    if (!atomic_load(&other)) atomic_store(&flag, 1);
    pthread_join(t, 0);
}
