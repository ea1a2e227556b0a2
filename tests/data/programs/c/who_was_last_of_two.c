/* expect: violated assertion; why: two threads that are about to store their numbers, and have forgotten them
 * otherwise, are alike only if nobody will tell these numbers apart */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int last = 9;

static void *work(void *number)
{
    atomic_store(&last, (int)(intptr_t)number);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(atomic_load(&last) != 0);
}
