/* expect: holds */
/* How to round is a thread's own affair. */
#include <assert.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>

static void *work(void *unused) {
    fesetround(FE_UPWARD);
    sched_yield();
    assert(fegetround() == FE_UPWARD);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    sched_yield();
    assert(fegetround() == FE_TONEAREST);
    pthread_join(thread, NULL);
    return 0;
}
