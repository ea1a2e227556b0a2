/* expect: holds; runtime: reuse=0 */
/* The same address need not be the same thing: between looking and exchanging, another thread may free the block and get it
 * again.  Without reuse of memory the exchange fails there. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) slot;
static atomic_int generation;

static void *other(void *unused) {
    int *old = atomic_exchange(&slot, NULL);
    if (old) {
        free(old);
        int *fresh = malloc(sizeof *fresh);
        atomic_fetch_add(&generation, 1);
        atomic_store(&slot, fresh);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    atomic_store(&slot, malloc(sizeof(int)));
    pthread_create(&thread, NULL, other, NULL);
    int *seen = atomic_load(&slot), before = atomic_load(&generation);
    if (seen && atomic_compare_exchange_strong(&slot, &seen, NULL))
        assert(atomic_load(&generation) == before);
    pthread_join(thread, NULL);
    return 0;
}
