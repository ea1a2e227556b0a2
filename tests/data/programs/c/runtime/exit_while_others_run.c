/* expect: violated assertion */
/* Handlers run while other threads still do; the process ends, and a thread that waits then is no deadlock. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t never;
static int over;

static void bye(void) {
    pthread_mutex_lock(&lock);
    over = 1;
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused) {
    pthread_mutex_lock(&lock);
    assert(!over);
    pthread_mutex_unlock(&lock);
    sem_wait(&never);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&never, 0, 0);
    atexit(bye);
    pthread_create(&thread, NULL, work, NULL);
    return 0;
}
