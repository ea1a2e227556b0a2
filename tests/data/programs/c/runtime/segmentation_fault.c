/* expect: violated crash */
#include <pthread.h>

static int *nowhere;

static void *work(void *unused) {
    *nowhere = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
