/* expect: holds; executions: 1; why: the number is behind a pointer without a type */
#include <assert.h>
#include <pthread.h>
#define N 4
static int ids[N], cell[N], total; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
    int i = *(int *)arg;
    pthread_mutex_lock(&m);
    cell[i]++;
    total += cell[i];
    pthread_mutex_unlock(&m);
    return NULL;
}
int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++) { ids[i] = i; pthread_create(&t[i], NULL, work, &ids[i]); }
    for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
    assert(total == N);
    return 0;
}
