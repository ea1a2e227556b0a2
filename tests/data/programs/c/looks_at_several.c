/* expect: violated assertion; why: a thread loads the bytes of all others at once, and sees which of them was first */
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

static void *look(void *unused)
{
    isospin_assert(atomic_load((atomic_uint *)(void *)cell) != 0x10000);
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, i < 3 ? work : look, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
