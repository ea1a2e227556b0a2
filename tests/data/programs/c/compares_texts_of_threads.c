/* expect: violated assertion; why: the texts are not there before the threads are joined, and whoever came first has the smaller one */
#include <isospin.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *text[2];
static int turn;

static void *work(void *given)
{
    pthread_mutex_lock(&lock);
    text[(long)given] = turn++ ? "second" : "first";
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    isospin_assert(strcmp(text[0], text[1]) < 0);
}
