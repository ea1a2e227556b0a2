// expect: violated race; why: lgamma leaves the sign of its result in a variable that all threads share
#include <assert.h>
#include <math.h>
#include <pthread.h>

extern int signgam;

static void *first(void *unused)
{
    lgamma(-0.5);
    assert(signgam == -1);
    return unused;
}

static void *second(void *unused)
{
    lgamma(3.0);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
