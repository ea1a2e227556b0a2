/* expect: violated assertion; why: jobs in the heap are alike but for their places in a list: the last one has no next */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { N = 3 };
struct job { int id; struct job *next; };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *given)
{
    struct job *job = given;
    pthread_mutex_lock(&lock);
    int first = count++ == 0;
    pthread_mutex_unlock(&lock);
    assert(!first || job->next != NULL);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    struct job *jobs[N], *next = NULL;
    for (int i = N - 1; i >= 0; i--) {
        jobs[i] = malloc(sizeof *jobs[i]);
        jobs[i]->id = i;
        jobs[i]->next = next;
        next = jobs[i];
    }
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, work, jobs[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
