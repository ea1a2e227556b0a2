/* expect: holds; options: --leaks */
/* The same, freed when the reader has ended. */
#include <pthread.h>
#include <stdlib.h>

static int *message;

static void *reader(void *unused) {
    int value = *message;
    return value < 0 ? unused : NULL;
}

int main(void) {
    pthread_t thread;
    message = malloc(sizeof *message);
    *message = 5;
    pthread_create(&thread, NULL, reader, NULL);
    pthread_join(thread, NULL);
    free(message);
    return 0;
}
