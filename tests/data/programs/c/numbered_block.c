/* expect: holds; executions: 1; why: all jobs are in one block, and the elements of an array in the heap change places */
#include <pthread.h>
#include <stdlib.h>

enum { N = 3 };
struct job { int id; int done; };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cell[N], total;

static void *work(void *given)
{
    struct job *job = given;
    pthread_mutex_lock(&lock);
    total++;
    cell[job->id]++;
    pthread_mutex_unlock(&lock);
    job->done = 1;
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    struct job *jobs = calloc(N, sizeof *jobs);
    for (int i = 0; i < N; i++) {
        jobs[i].id = i;
        pthread_create(&threads[i], NULL, work, &jobs[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    free(jobs);
    return 0;
}
