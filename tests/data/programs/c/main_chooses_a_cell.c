/* expect: violated assertion; why: threads have cells by pointers, and main chooses one of these by its index */
#include <isospin.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cells[3], chosen = 2, begun;

static void *work(void *given)
{
    pthread_mutex_lock(&lock);
    int first = begun++ == 0;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    isospin_assert(!(first && &cells[chosen] == given));
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &cells[i]);
    pthread_mutex_lock(&lock);
    if (begun == 1)
        chosen = 1;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
