/* expect: violated assertion; why: of two threads with numbers one is chosen in a struct that is longer than its type
 * says */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>

struct choice {
    long number, reasons[];
};

static struct choice first = {0, {5}}, *choice = &first;
static atomic_long order;

static void *work(void *given)
{
    long number = (long)given;
    long place = atomic_fetch_add(&order, 1);
    isospin_assert(!(choice->number == number && place == 1));
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
