/* expect: violated race */
/* A loop over a plain variable lets others run, too. */
#include <pthread.h>

static int ready;

static void *work(void *unused) {
    ready = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    while (!ready)
        ;
    pthread_join(thread, NULL);
    return 0;
}
