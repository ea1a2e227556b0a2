/* expect: holds; executions: 1 */
/* The joins are done before the function is left whose variables the threads use. */
#include <assert.h>
#include <pthread.h>

static void *work(void *count) {
    for (int i = 0; i < 3; i++)
        ++*(int *)count;
    return NULL;
}

static int clobber(int depth) {
    volatile int room[64] = {depth};
    return depth ? clobber(depth - 1) + room[1] : 0;
}

static int run(void) {
    pthread_t threads[2];
    int counts[2] = {0};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &counts[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

int main(void) {
    run();
    assert(clobber(5) == 0);
    return 0;
}
