/* expect: violated crash */
/* The check and the use are not together: between them the pointer may be cleared. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int value = 3;
static _Atomic(int *) current = &value;

static void *clear(void *unused) {
    atomic_store(&current, NULL);
    return unused;
}

int main(void) {
    pthread_t thread;
    int result = 0;
    pthread_create(&thread, NULL, clear, NULL);
    if (atomic_load(&current) != NULL)
        result = *atomic_load(&current);
    pthread_join(thread, NULL);
    return result == 4;
}
