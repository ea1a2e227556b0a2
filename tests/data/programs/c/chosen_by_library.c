/* expect: violated assertion; why: of two threads with numbers one is chosen in memory of a library */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static struct tm *choice;
static atomic_long order;

static void *work(void *given)
{
    long number = (long)given;
    long place = atomic_fetch_add(&order, 1);
    isospin_assert(!(choice->tm_sec == number && place == 1));
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    time_t beginning = 0;
    choice = gmtime(&beginning);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
