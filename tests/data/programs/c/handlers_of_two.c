/* expect: violated assertion; why: two threads are in a signal handler at the same time, in any order */
#include <isospin.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static _Thread_local long number;
static atomic_long order;

static void handle(int signal)
{
    long place = atomic_fetch_add(&order, 1);
    isospin_assert(!(signal == SIGUSR1 && number == 0 && place == 1));
}

static void *work(void *given)
{
    number = (long)given;
    raise(SIGUSR1);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    signal(SIGUSR1, handle);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
