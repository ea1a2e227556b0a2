/* expect: violated assertion; why: main looks at which thread was the last one, while all live */
#include <isospin.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_t last;
static long count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t end;

static void *work(void *given)
{
    pthread_mutex_lock(&lock);
    last = pthread_self();
    count++;
    pthread_mutex_unlock(&lock);
    sem_wait(&end);
    return given;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&end, 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    pthread_mutex_lock(&lock);
    pthread_t name = last;
    long place = count;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        sem_post(&end);
    isospin_assert(!(name == threads[1] && place == 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
