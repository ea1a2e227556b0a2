/* expect: violated assertion; why: of two exchanges of threads, one keeps what main compares, and another is good only
 * if main sees the same; of both together nothing is known, and the order that ends with thread 1 was lost */
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
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    assert(atomic_load(&last) != 1);
}
