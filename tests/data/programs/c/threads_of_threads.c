/* expect: violated assertion; why: of threads that threads start, one that is born later may come first */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int begun;

static void *child(void *given)
{
    int first = atomic_fetch_add(&begun, 1) == 0;
    isospin_assert(!(first && given));
    return NULL;
}

static void *parent(void *given)
{
    pthread_t thread;
    pthread_create(&thread, NULL, child, given);
    pthread_join(thread, NULL);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, parent, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
