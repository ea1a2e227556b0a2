/* expect: violated lock-misuse */
/* A thread gives back the read lock of another. */
#include <pthread.h>
#include <semaphore.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t reading;

static void *reader(void *unused) {
    pthread_rwlock_rdlock(&lock);
    sem_post(&reading);
    return unused;
}

static void *helper(void *unused) {
    sem_wait(&reading);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    sem_init(&reading, 0, 0);
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, helper, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
