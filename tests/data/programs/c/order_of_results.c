/* expect: violated assertion */
/* Each thread writes its turn to a place of its own; one of the six orders is wrong. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int turn;
static int turns[3];

static void *run(void *argument) {
    turns[(long)argument] = turn++;
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(turns[0] != 2 || turns[1] != 1);
    return 0;
}
