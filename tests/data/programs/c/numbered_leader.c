/* expect: violated assertion; why: a block of main that no thread has for its own has the number of one of them */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { N = 2 };
struct job { int id; };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *leader;
static int count;

static void *work(void *given)
{
    struct job *job = given;
    pthread_mutex_lock(&lock);
    int first = count++ == 0;
    pthread_mutex_unlock(&lock);
    assert(!(first && job->id == leader->id));
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    leader = malloc(sizeof *leader);
    leader->id = 1;
    for (int i = 0; i < N; i++) {
        struct job *job = malloc(sizeof *job);
        job->id = i;
        pthread_create(&threads[i], NULL, work, job);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
