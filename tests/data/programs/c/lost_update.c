/* expect: violated race */
/* Two threads add to a counter and nothing orders them. */
#include <pthread.h>

static int counter;

static void *add(void *unused) {
    counter++;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return counter == 2 ? 0 : 1;
}
