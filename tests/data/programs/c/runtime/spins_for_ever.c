/* expect: violated deadlock */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int never;

static void *work(void *unused) {
    while (!atomic_load(&never))
        ;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
