/* expect: violated assertion; why: of two threads with numbers one is chosen by the zeros of a block that one of them
 * makes */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct choice {
    long number, reason;
};

static struct choice *choice;
static atomic_long order;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct choice *choose(void)
{
    pthread_mutex_lock(&lock);
    if (!choice)
        choice = calloc(1, sizeof *choice);
    struct choice *made = choice;
    pthread_mutex_unlock(&lock);
    return made;
}

static void *work(void *given)
{
    long number = (long)given;
    long place = atomic_fetch_add(&order, 1);
    struct choice *one = choose();
    isospin_assert(!(one->number == number && place == 1));
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
