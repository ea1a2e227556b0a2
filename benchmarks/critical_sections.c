/* THREADS threads, each with SECTIONS critical sections: the program of the measurements. */
#include <pthread.h>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef SECTIONS
#define SECTIONS 4
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *work(void *unused) {
    for (int i = 0; i < SECTIONS; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return counter == THREADS * SECTIONS ? 0 : 1;
}
