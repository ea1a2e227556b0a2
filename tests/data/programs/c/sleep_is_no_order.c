/* expect: violated assertion */
/* Who sleeps longer is not always later. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int ready;

static void *prepare(void *unused) {
    atomic_store(&ready, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, prepare, NULL);
    sleep(5);
    assert(atomic_load(&ready));
    pthread_join(thread, NULL);
    return 0;
}
