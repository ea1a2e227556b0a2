/* expect: violated assertion; why: of two threads with numbers one is told apart by a struct that is passed by value */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>

struct pair {
    long reason, number;
};

static atomic_long order;

static int is_first(struct pair pair) { return pair.number == 0; }

static void *work(void *given)
{
    struct pair pair = {4, (long)given};
    long place = atomic_fetch_add(&order, 1);
    isospin_assert(!(is_first(pair) && place == 1));
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
