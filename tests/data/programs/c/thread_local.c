/* expect: holds */
/* A variable for each thread: nobody else sees it. */
#include <assert.h>
#include <pthread.h>

static _Thread_local int mine = 1;

static void *work(void *unused) {
    mine++;
    mine++;
    assert(mine == 3);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(mine == 1);
    return 0;
}
