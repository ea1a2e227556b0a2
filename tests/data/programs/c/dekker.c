/* expect: holds */
/* Two flags: who sees the other's stays out. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], inside;

static void *enter(void *argument) {
    long me = (long)argument;
    wants[me] = 1;
    if (!wants[1 - me]) {
        int others = inside++;
        assert(others == 0);
        inside--;
    }
    wants[me] = 0;
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
