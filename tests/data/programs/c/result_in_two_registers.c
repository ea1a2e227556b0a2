/* expect: violated assertion; why: of two threads with numbers one is told apart by the second half of a result */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>

struct choice {
    long reason, number;
};

static atomic_long order;

static struct choice choose(long number)
{
    struct choice choice = {5, number};
    return choice;
}

static void *work(void *given)
{
    long number = (long)given;
    long place = atomic_fetch_add(&order, 1);
    struct choice choice = choose(number);
    isospin_assert(!(choice.number == 0 && place == 1));
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
