/* expect: violated crash; message: signal 13 ends the program */
/* The signal may come before it is ignored. */
#include <pthread.h>
#include <signal.h>

static void *work(void *unused) {
    raise(SIGPIPE);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    signal(SIGPIPE, SIG_IGN);
    pthread_join(thread, NULL);
    return 0;
}
