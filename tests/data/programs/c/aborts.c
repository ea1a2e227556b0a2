/* expect: violated crash */
/* A program that gives up by itself in one order of events. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int started;

static void *work(void *unused) {
    atomic_store(&started, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    if (!atomic_load(&started))
        abort();
    pthread_join(thread, NULL);
    return 0;
}
