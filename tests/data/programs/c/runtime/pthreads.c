/* expect: holds */
/* Barrier, read-write lock, spin lock, once, thread-specific data with a destructor, cleanup handlers, results. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t barrier;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int arrived[2], serial, prepared, destroyed, cleaned;

static void prepare(void) { prepared++; }
static void destroy(void *value) { destroyed += *(int *)value; }
static void clean(void *unused) { (void)unused; cleaned++; }

static void meet(long me) {
    arrived[me] = 1;
    int last = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    pthread_once(&once, prepare);
    pthread_rwlock_rdlock(&table);
    assert(arrived[0] && arrived[1] && prepared == 1);
    pthread_rwlock_unlock(&table);
    pthread_spin_lock(&spin);
    serial += last;
    pthread_spin_unlock(&spin);
}

static void *other(void *argument) {
    static int five = 5;
    meet((long)argument);
    pthread_setspecific(key, &five);
    pthread_cleanup_push(clean, NULL);
    pthread_exit((void *)7);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_key_create(&key, destroy);
    pthread_create(&thread, NULL, other, (void *)1);
    meet(0);
    assert(!pthread_equal(thread, pthread_self()));
    assert(pthread_getspecific(key) == NULL);
    pthread_join(thread, &result);
    assert(pthread_join(pthread_self(), NULL) == EDEADLK);
    assert(result == (void *)7 && cleaned == 1 && destroyed == 5 && serial == 1);
    pthread_barrier_destroy(&barrier);
    return 0;
}
