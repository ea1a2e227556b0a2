/* expect: holds */
/* A field of width 0 stands between them: two memory locations. */
#include <pthread.h>

static struct {
    unsigned low : 3, : 0, high : 5;
} shared;

static void *one(void *unused) {
    shared.low = 1;
    return unused;
}

static void *two(void *unused) {
    shared.high = 2;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
