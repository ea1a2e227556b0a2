/* expect: violated assertion; why: main looks at the number that a thread has put into a block, while all live */
#include <isospin.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

struct last {
    long number, count;
};

static struct last *last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t end;

static void *work(void *given)
{
    long number = (long)given;
    pthread_mutex_lock(&lock);
    last->number = number;
    last->count++;
    pthread_mutex_unlock(&lock);
    sem_wait(&end);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    last = malloc(sizeof *last);
    last->number = 9;
    last->count = 0;
    sem_init(&end, 0, 0);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    pthread_mutex_lock(&lock);
    long number = last->number, count = last->count;
    pthread_mutex_unlock(&lock);
    isospin_assert(!(number == 1 && count == 1));
    for (int i = 0; i < 2; i++)
        sem_post(&end);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(last);
    return 0;
}
