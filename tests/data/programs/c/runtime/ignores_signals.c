/* expect: holds */
/* What is to happen at a signal begins anew in each execution, and no process of its own is needed for that. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    pthread_mutex_lock(&lock);
    raise(SIGPIPE);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    struct sigaction ignored = {.sa_handler = SIG_IGN}, old;
    assert(signal(SIGPIPE, SIG_IGN) == SIG_DFL);
    assert(sigaction(SIGUSR1, &ignored, &old) == 0 && old.sa_handler == SIG_DFL);
    assert(raise(SIGUSR1) == 0);
    assert(signal(SIGUSR1, SIG_DFL) == SIG_IGN);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(signal(SIGPIPE, SIG_DFL) == SIG_IGN);
    return 0;
}
