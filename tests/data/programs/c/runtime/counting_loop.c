/* expect: holds */
/* Not every loop over an atomic variable waits: this one counts. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int value;

static void *work(void *unused) {
    value = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    int seen = 0;
    pthread_create(&thread, NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        seen += atomic_load(&value);
    pthread_join(thread, NULL);
    assert(seen >= 0 && seen <= 4);
    return 0;
}
