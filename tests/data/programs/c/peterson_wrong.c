/* expect: violated assertion */
/* The same with the two stores in the wrong order. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn, inside;

static void *enter(void *which) {
    long me = (long)which, other = 1 - me;
    atomic_store(&turn, (int)other);
    atomic_store(&wants[me], 1);
    if (!atomic_load(&wants[other]) || atomic_load(&turn) == me) {
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
    }
    atomic_store(&wants[me], 0);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, enter, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
