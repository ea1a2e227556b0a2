/* expect: violated assertion race; runtime: note_races=1 */
/* The read and the write of `x++` are two operations. */
#include <assert.h>
#include <pthread.h>

static int x;

static void *add(void *unused) {
    x++;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(x == 2);
    return 0;
}
