/* expect: violated assertion; why: main loads the bytes of all threads at once, and sees which of them was first */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int begun;
static atomic_uchar cell[4];

static void *work(void *given)
{
    if (atomic_fetch_add(&begun, 1) == 0)
        cell[(long)given] = 1;
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    unsigned seen = atomic_load((atomic_uint *)(void *)cell);
    isospin_assert(seen != 0x10000);
    return 0;
}
