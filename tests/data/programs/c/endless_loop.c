/* expect: violated divergence; options: --max-step=1 */
/* The loop does not look at anything that could change. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stop;

static void *work(void *unused) {
    if (atomic_load(&stop))
        return unused;
    for (;;)
        ;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    atomic_store(&stop, 1);
    pthread_join(thread, NULL);
    return 0;
}
