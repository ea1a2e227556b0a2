/* expect: violated assertion; why: a thread computes the larger one of its number and 1, by a conditional move */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int begun;

static void *work(void *given)
{
    int number = (int)(long)given, first = atomic_fetch_add(&begun, 1) == 0;
    int larger = number > 1 ? number : 1;
    isospin_assert(!(first && larger == 2));
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
