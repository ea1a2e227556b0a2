/* expect: holds */
/* Each thread has bytes of its own, though they share a word. */
#include <pthread.h>

static char cells[4];

static void *fill(void *which) {
    *(char *)which = 1;
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, fill, &cells[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return cells[0] + cells[3] == 2 ? 0 : 1;
}
