/* expect: violated assertion; why: only one of two threads finds the number that it expects, its own */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_long chosen, order;

static void *work(void *given)
{
    long number = (long)given;
    long place = atomic_fetch_add(&order, 1);
    bool found = atomic_compare_exchange_strong(&chosen, &number, 7);
    isospin_assert(!(found && place == 1));
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
