/* expect: violated race */
/* An assignment of a struct reads all of it. */
#include <pthread.h>

struct pair {
    long low, high, more[2];
};
static struct pair shared;

static void *writer(void *unused) {
    shared.high = 1;
    return unused;
}

static void *reader(void *unused) {
    struct pair copy = shared;
    return copy.low ? unused : NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
