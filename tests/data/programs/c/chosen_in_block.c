/* expect: violated assertion; why: of two threads with numbers one is chosen in a block of the heap whose type nobody
 * says */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct choice {
    long number, reason;
};

static struct choice *choice;
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
    void *block = malloc(sizeof *choice);
    choice = block;
    choice->number = 0;
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(block);
    return 0;
}
