/* expect: incomplete; reason: more signals than were tried; executions: 4 */
/* In each round one of the two comes; who waits for ever is no deadlock. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static sigset_t set;

static void *wait_for_them(void *unused) {
    for (int number;;) {
        sigwait(&set, &number);
        assert(number == SIGINT || number == SIGTERM);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    pthread_create(&thread, NULL, wait_for_them, NULL);
    pthread_join(thread, NULL);
    return 0;
}
