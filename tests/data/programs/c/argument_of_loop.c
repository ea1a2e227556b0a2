/* expect: violated race */
/* Every thread gets the address of the loop's own counter. */
#include <pthread.h>

static void *work(void *which) {
    int mine = *(int *)which;
    return mine < 0 ? which : NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
