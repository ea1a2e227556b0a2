/* expect: holds */
/* A loop around compare and swap loses nothing. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int balance = 10;

static void *take(void *unused) {
    int seen = atomic_load(&balance);
    while (!atomic_compare_exchange_strong(&balance, &seen, seen - 3))
        ;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, take, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(atomic_load(&balance) == 4);
    return 0;
}
