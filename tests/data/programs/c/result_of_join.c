/* expect: holds */
/* What threads return, by return and by exit. */
#include <assert.h>
#include <pthread.h>

static void *work(void *which) {
    if ((long)which == 0)
        pthread_exit((void *)10);
    return (void *)20;
}

int main(void) {
    pthread_t threads[2];
    void *results[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &results[i]);
    assert((long)results[0] + (long)results[1] == 30);
    return 0;
}
