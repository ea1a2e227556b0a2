/* expect: holds; options: --leaks */
/* The same, with the result of the decrement. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int users = 2;
static char *block;

static void *work(void *unused) {
    if (atomic_fetch_sub(&users, 1) == 1)
        free(block);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    block = malloc(8);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
