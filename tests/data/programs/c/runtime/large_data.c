/* expect: violated assertion */
/* 8 MB of data are as they were before each execution. */
#include <assert.h>
#include <pthread.h>

static long table[1 << 20] = {[5] = 7};
static long zeros[1 << 18];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first;

static void *work(void *argument) {
    pthread_mutex_lock(&lock);
    if (!first)
        first = (int)(long)argument;
    table[1000000] += 1;
    zeros[1 << 17] += 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    assert(table[5] == 7 && table[1000000] == 0 && zeros[1 << 17] == 0);
    table[5] = 8;
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(table[1000000] == 3 && zeros[1 << 17] == 3);
    assert(first != 3);
    return 0;
}
