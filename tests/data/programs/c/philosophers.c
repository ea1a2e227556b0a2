/* expect: violated deadlock */
/* Everybody takes the left fork first. */
#include <pthread.h>

enum { COUNT = 3 };

static pthread_mutex_t forks[COUNT] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
};

static void *dine(void *seat) {
    long i = (long)seat;
    pthread_mutex_lock(&forks[i]);
    pthread_mutex_lock(&forks[(i + 1) % COUNT]);
    pthread_mutex_unlock(&forks[(i + 1) % COUNT]);
    pthread_mutex_unlock(&forks[i]);
    return NULL;
}

int main(void) {
    pthread_t threads[COUNT];
    for (long i = 0; i < COUNT; i++)
        pthread_create(&threads[i], NULL, dine, (void *)i);
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
