/* N philosophers take the left fork first: 3, 7, 15, 31 traces for N = 2 .. 5, one of them a deadlock.  With RIGHT the last one
   takes the right fork first: 2, 6, 14, 30 traces, no deadlock. */
#include <pthread.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t fork_of[N];

static void *dine(void *argument)
{
    int i = (int)(long)argument, first = i, second = (i + 1) % N;
#ifdef RIGHT
    if (i == N - 1) {
        first = 0;
        second = i;
    }
#endif
    pthread_mutex_lock(&fork_of[first]);
    pthread_mutex_lock(&fork_of[second]);
    pthread_mutex_unlock(&fork_of[first]);
    pthread_mutex_unlock(&fork_of[second]);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&fork_of[i], NULL);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, dine, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
