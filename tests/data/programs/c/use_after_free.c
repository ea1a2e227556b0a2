/* expect: violated use-after-free */
/* The owner frees the message while a thread may still read it; a lock orders the two. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *message;

static void *reader(void *unused) {
    pthread_mutex_lock(&lock);
    int value = *message;
    pthread_mutex_unlock(&lock);
    return value < 0 ? unused : NULL;
}

int main(void) {
    pthread_t thread;
    message = malloc(sizeof *message);
    *message = 5;
    pthread_create(&thread, NULL, reader, NULL);
    pthread_mutex_lock(&lock);
    free(message);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
