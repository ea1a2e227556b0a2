/* expect: violated deadlock */
/* Main waits for the end of a thread that needs the lock which main holds. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    pthread_join(thread, NULL);
    pthread_mutex_unlock(&lock);
    return 0;
}
