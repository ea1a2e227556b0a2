/* expect: violated race */
/* A relaxed store publishes nothing. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *work(void *unused) {
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    int seen = atomic_load_explicit(&flag, memory_order_acquire) ? data : 1;
    pthread_join(thread, NULL);
    return !seen;
}
