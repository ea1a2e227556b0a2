/* expect: violated race */
/* Nothing says that the detached thread has ended. */
#include <pthread.h>

static int result;

static void *work(void *unused) {
    result = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
    return result;
}
