/* expect: holds; executions: 1; why: a local array of main has the numbers: behind plain pointers they change places, too */
#include <pthread.h>

enum { N = 3 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cell[N], total;

static void *work(void *given)
{
    int id = *(int *)given;
    pthread_mutex_lock(&lock);
    total++;
    cell[id]++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    int ids[N];
    for (int i = 0; i < N; i++) {
        ids[i] = i;
        pthread_create(&threads[i], NULL, work, &ids[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
