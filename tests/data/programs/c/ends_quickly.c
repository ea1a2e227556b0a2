/* expect: violated assertion; why: a function that quick_exit calls looks at what the threads did */
#define _GNU_SOURCE
#include <isospin.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int places[2], turn;

static void *work(void *given)
{
    pthread_mutex_lock(&lock);
    places[(long)given] = turn++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void look(void)
{
    isospin_assert(places[0] == 0);
}

int main(void)
{
    pthread_t threads[2];
    at_quick_exit(look);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    quick_exit(0);
}
