/* expect: violated race */
/* A signal may come at any time, and who waits for it reads what the other one writes under a lock. */
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sigset_t set;
static int written, shown;

static void *wait_for_it(void *unused) {
    int number;
    if (sigwait(&set, &number) == 0 && number == SIGALRM)
        shown = written;
    return unused;
}

int main(void) {
    pthread_t thread;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_create(&thread, NULL, wait_for_it, NULL);
    pthread_mutex_lock(&lock);
    written++;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
