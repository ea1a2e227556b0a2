/* expect: violated assertion; why: main chooses one of its threads by number, when one of them has begun */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int chosen = 9, begun;

static void *work(void *given)
{
    int number = (int)(long)given, first = atomic_fetch_add(&begun, 1) == 0;
    isospin_assert(!(first && atomic_load(&chosen) == number));
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    if (atomic_load(&begun) == 1)
        atomic_store(&chosen, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
