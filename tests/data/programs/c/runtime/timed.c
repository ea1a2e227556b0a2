/* expect: violated assertion */
/* A timed wait may time out although the signal comes. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;

static void *work(void *unused) {
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec until;
    int error = 0;
    pthread_create(&thread, NULL, work, NULL);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 5;
    pthread_mutex_lock(&lock);
    while (!ready && !error)
        error = pthread_cond_timedwait(&condition, &lock, &until);
    int seen = ready;
    pthread_mutex_unlock(&lock);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    assert(error != ETIMEDOUT || now.tv_sec >= until.tv_sec);
    pthread_join(thread, NULL);
    assert(seen);
    return 0;
}
