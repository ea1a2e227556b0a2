/* expect: violated assertion */
/* A timed wait may time out although the signal is on its way. */
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *signaller(void *unused) {
    pthread_mutex_lock(&lock);
    is_ready = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    pthread_create(&thread, NULL, signaller, NULL);
    pthread_mutex_lock(&lock);
    int result = 0;
    while (!is_ready && result == 0)
        result = pthread_cond_timedwait(&ready, &lock, &until);
    assert(is_ready);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
