/* expect: violated lock-misuse */
/* The thread detaches itself, which main does not know; whoever is first, the other one is wrong. */
#include <pthread.h>

static void *work(void *unused) {
    pthread_detach(pthread_self());
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
