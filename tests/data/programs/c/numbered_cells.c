/* expect: holds; executions: 1; why: 24 orders that differ only by the numbers of threads */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#ifndef N
#define N 4
#endif
static int cell[N]; static int total; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
    int i = (int)(intptr_t)arg;
    cell[i]++;
    pthread_mutex_lock(&m);
    total += cell[i];
    pthread_mutex_unlock(&m);
    return NULL;
}
int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++) pthread_create(&t[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
    assert(total == N);
    return 0;
}
