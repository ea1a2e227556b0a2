/* expect: violated assertion; why: everybody also has a struct of his own, in a frame that comes later, with the number 0 in it */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { N = 2 };
struct job { int id; };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cell[N];

static void visit(struct job *job) { cell[job->id]++; }

static void visit_first(void)
{
    struct job own;
    own.id = 0;
    visit(&own);
}

static void *work(void *given)
{
    pthread_mutex_lock(&lock);
    visit(given);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    visit_first();
    assert(!(cell[0] == 1 && cell[1] == 1)); /* the second one, twice before the first */
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        struct job *job = malloc(sizeof *job);
        job->id = i;
        pthread_create(&threads[i], NULL, work, job);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
