/* expect: violated assertion */
/* Half a second later, but the nanoseconds are not carried over: that is no time, and the wait fails at once. */
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

int main(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    for (int i = 0; i < 3; i++) {
        until.tv_nsec += 500000000;
        pthread_mutex_lock(&lock);
        int result = pthread_cond_timedwait(&never, &lock, &until);
        pthread_mutex_unlock(&lock);
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        assert(now.tv_nsec == until.tv_nsec || result == 0);
    }
    return 0;
}
