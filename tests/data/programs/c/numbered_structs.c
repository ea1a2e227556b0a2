/* expect: holds; executions: 5; why: 90 orders of six critical sections; up to 3! renamings 15, and threads that have done as much are alike again */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#define N 3
struct job { int id; int done; };
static struct job jobs[N]; static int result[N]; static int total; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
    struct job *job = arg;
    pthread_mutex_lock(&m);
    total++;
    pthread_mutex_unlock(&m);
    result[job->id]++;
    job->done = 1;
    pthread_mutex_lock(&m);
    total++;
    pthread_mutex_unlock(&m);
    return NULL;
}
int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++) { jobs[i].id = i; pthread_create(&t[i], NULL, work, &jobs[i]); }
    for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
    assert(total == 2 * N);
    return 0;
}
