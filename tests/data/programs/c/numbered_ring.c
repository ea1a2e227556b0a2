/* expect: violated deadlock; options: --all-errors; executions: 3; why: 7 orders up to rotations */
#include <pthread.h>
#include <stdint.h>
#ifndef N
#define N 3
#endif
static pthread_mutex_t forks[N]; 
static void *dine(void *arg)
{
    long i = (long)arg;
    pthread_mutex_lock(&forks[i]);
    pthread_mutex_lock(&forks[(i + 1) % N]);
    pthread_mutex_unlock(&forks[(i + 1) % N]);
    pthread_mutex_unlock(&forks[i]);
    return NULL;
}
int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++) pthread_mutex_init(&forks[i], NULL);
    for (long i = 0; i < N; i++) pthread_create(&t[i], NULL, dine, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
    return 0;
}
