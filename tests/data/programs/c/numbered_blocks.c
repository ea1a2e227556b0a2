/* expect: holds; executions: 1; why: each thread gets a block with its number, and gives it back */
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
    free(job);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        struct job *job = malloc(sizeof *job);
        job->id = i;
        job->done = 0;
        pthread_create(&threads[i], NULL, work, job);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
