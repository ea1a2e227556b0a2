/* expect: violated assertion; why: main chooses one of its threads by number, in a block of the heap */
#include <isospin.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct choice { int number; };
static struct choice *choice;
static int begun;

static void *work(void *given)
{
    int number = (int)(long)given;
    pthread_mutex_lock(&lock);
    int first = begun++ == 0;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    isospin_assert(!(first && choice->number == number));
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    choice = malloc(sizeof *choice);
    choice->number = 9;
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    pthread_mutex_lock(&lock);
    if (begun == 1)
        choice->number = 1;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
