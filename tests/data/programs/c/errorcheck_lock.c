/* expect: holds */
/* An error-checking mutex says what is wrong instead of waiting for itself. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;

static void *other(void *unused) {
    int result = pthread_mutex_unlock(&lock);
    assert(result == EPERM);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &kind);
    pthread_mutex_lock(&lock);
    int result = pthread_mutex_lock(&lock);
    assert(result == EDEADLK);
    pthread_create(&thread, NULL, other, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_unlock(&lock);
    return 0;
}
