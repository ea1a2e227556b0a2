/* expect: violated assertion */
/* A choice that the environment makes, and one order in which it matters. */
#include <isospin.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int level;

static void *work(void *unused) {
    atomic_fetch_add(&level, isospin_toss(3));
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    isospin_assert(atomic_load(&level) < 4);
    return 0;
}
