/* expect: incomplete; reason: pthread_kill is not supported; fork: the program sets signal handlers; why: the handler would end the loop */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int stopped;

static void stop(int number)
{
    (void)number;
    stopped = 1;
}

static void *goes_round(void *unused)
{
    while (!stopped)
        ;
    return unused;
}

int main(void)
{
    pthread_t thread;
    signal(SIGUSR1, stop);
    pthread_create(&thread, NULL, goes_round, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
}
