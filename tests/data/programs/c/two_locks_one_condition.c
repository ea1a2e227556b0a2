/* expect: violated lock-misuse */
/* All who wait at a condition variable have to do so with the same mutex. */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *wait(void *lock) {
    pthread_mutex_lock(lock);
    pthread_cond_wait(&changed, lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, wait, &a);
    pthread_create(&threads[1], NULL, wait, &b);
    pthread_cond_broadcast(&changed);
    pthread_exit(NULL);
}
