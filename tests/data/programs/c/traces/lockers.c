/* N threads with M critical sections each: (N * M)! / (M!)^N traces, one up to symmetry for M = 1. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif
#ifndef M
#define M 1
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *add(void *unused)
{
    for (int i = 0; i < M; i++) {
        pthread_mutex_lock(&lock);
        x++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(x == N * M);
    return 0;
}
