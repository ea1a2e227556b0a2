/* expect: holds */
/* The same numbers in every execution, and from the same seed. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int drawn[2], order;

static void *work(void *argument) {
    pthread_mutex_lock(&lock);
    drawn[order++] = rand();
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void) {
    pthread_t threads[2];
    srand((unsigned)time(NULL));
    int one = rand(), two = rand();
    srand((unsigned)time(NULL));
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(drawn[0] == one && drawn[1] == two);
    return 0;
}
