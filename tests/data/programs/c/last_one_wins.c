/* expect: violated assertion */
/* Threads are alike but for their names: who was first is asked at the end. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic pthread_t winner;

static void *run(void *unused) {
    pthread_t nobody = 0;
    atomic_compare_exchange_strong(&winner, &nobody, pthread_self());
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(!pthread_equal(winner, threads[2]));
    return 0;
}
