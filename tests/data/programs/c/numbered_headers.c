/* expect: violated assertion; why: behind each header there is a number, where the type of the block says header */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { N = 3 };
struct header { long size; };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *given)
{
    struct header *header = given;
    int *number = (int *)(header + 1);
    pthread_mutex_lock(&lock);
    int first = count++ == 0;
    pthread_mutex_unlock(&lock);
    assert(!first || *number != 2);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        struct header *header = malloc(2 * sizeof *header);
        header->size = sizeof(int);
        *(int *)(header + 1) = i;
        pthread_create(&threads[i], NULL, work, header);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
