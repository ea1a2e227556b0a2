/* expect: holds; executions: 1; why: a block with nothing but a number */
#include <pthread.h>
#include <stdlib.h>

enum { N = 3 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cell[N], total;

static void *work(void *given)
{
    int id = *(int *)given;
    free(given);
    pthread_mutex_lock(&lock);
    total++;
    cell[id]++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        int *id = malloc(sizeof *id);
        *id = i;
        pthread_create(&threads[i], NULL, work, id);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
