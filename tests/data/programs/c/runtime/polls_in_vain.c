/* expect: violated deadlock */
/* A loop that looks under a lock again and again waits, too. */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *work(void *unused) {
    pthread_mutex_lock(&lock);
    done++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static int finished(void) {
    pthread_mutex_lock(&lock);
    int result = done == 3;
    pthread_mutex_unlock(&lock);
    return result;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    while (!finished())
        usleep(1000);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(done == 2);
    return 0;
}
