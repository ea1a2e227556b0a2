/* expect: holds */
/* Two barriers in each round: one behind writing, one behind reading. */
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int rounds[2];

static void *work(void *argument) {
    long me = (long)argument;
    for (int round = 0; round < 2; round++) {
        rounds[me] = round;
        pthread_barrier_wait(&barrier);
        assert(rounds[1 - me] == round);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 2);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
