/* N threads that get a block each and free it, and take a lock that they know by it: N! traces, one orbit. */
#include <pthread.h>
#include <stdlib.h>

#ifndef N
#define N 3
#endif

struct argument {
    pthread_mutex_t *lock;
    int *total;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *add(void *given)
{
    struct argument *argument = given;
    pthread_mutex_lock(argument->lock);
    ++*argument->total;
    pthread_mutex_unlock(argument->lock);
    free(argument);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        struct argument *argument = malloc(sizeof *argument);
        argument->lock = &lock;
        argument->total = &total;
        pthread_create(&threads[i], NULL, add, argument);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
