/* expect: violated assertion; why: a function that is called with the status of the program looks at what its threads did */
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

static void look(int status, void *given)
{
    isospin_assert(status || *(int *)given == 0);
}

int main(void)
{
    pthread_t threads[2];
    on_exit(look, &places[0]);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
