/* expect: violated leak; options: --leaks */
/* If the other thread was first, the block is forgotten. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(char *) cache;

static void *fill(void *unused) {
    if (atomic_load(&cache) == NULL) {
        char *fresh = malloc(8);
        atomic_store(&cache, fresh);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, fill, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(atomic_load(&cache));
    return 0;
}
