/* expect: holds */
/* What was written before the barrier is read behind it. */
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int cells[2];

static void *work(void *which) {
    long me = (long)which;
    cells[me] = 1;
    pthread_barrier_wait(&barrier);
    assert(cells[1 - me] == 1);
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
