/* expect: violated race */
/* In one order a lock that has nothing to do with it stands between the two writes; in the other nothing does. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *before(void *unused) {
    shared = 1;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *after(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    shared = 2;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, before, NULL);
    pthread_create(&threads[1], NULL, after, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
