/* expect: violated assertion; why: of two threads with numbers one will be chosen, by a thread that main is about to
 * start */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_long leader = 9, order, begun;

static void *work(void *given)
{
    long number = (long)given;
    atomic_fetch_add(&begun, 1);
    long place = atomic_fetch_add(&order, 1);
    isospin_assert(!(atomic_load(&leader) == number && place == 1));
    return NULL;
}

static void *choose(void *given)
{
    if (atomic_load(&begun) == 2)
        atomic_store(&leader, 0);
    return given;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    pthread_create(&threads[2], NULL, choose, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
